// A function, a namespace and a function agent that are reminded of are named in one message at the end of the next request.

import { func } from 'lmthing/plugins';
import { z } from 'zod';
import { code, drive, print, say, textOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps } = await drive(({ defFunction, defFunctionAgent, defState, $ }) => {
    const [done, setDone] = defState('done', false);
    const math = defFunction('math', 'Maths', [func('one', 'One', z.object({}), () => { setDone(true); return 1; })]);
    const two = defFunction('two', 'Two', z.object({}), () => 2);
    const ask = defFunctionAgent('ask', 'Asks', z.object({}), (args, child) => { child.$`a`; });
    if (done) [math, two, ask].forEach((reference) => reference.remind());
    $`go with ${math}`;
  }, [code('return await math.one({});'), say('ok')]);
  const last = steps.map((step) => step.input.prompt.at(-1));
  print([last[0].role, textOf(last[0]), last[1].role, textOf(last[1]).startsWith('[Reminder:')]);
  print(['math', 'two', 'ask'].map((name) => textOf(last[1]).includes(name)));
};
