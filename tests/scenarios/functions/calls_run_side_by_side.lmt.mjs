// Calls that code starts together run at the same time, and so do the pieces of code of one step.

import { z } from 'zod';
import { callTurn, code, drive, print, say, scripted, textTurn, valuesOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const log = [];
  const define = ({ defFunction, $ }) => {
    let opened;
    const door = new Promise((open) => { opened = open; });
    defFunction('enter', 'Waits until it is open', z.object({}), async () => { log.push('wait'); await door; log.push('in'); return 'in'; });
    defFunction('open', 'Opens', z.object({}), () => { log.push('open'); opened(); return 'opened'; });
    $`go`;
  };
  const together = await drive(define, [code('return await Promise.all([enter({}), open({})]);'), say('ok')]);
  print([valuesOf(together.steps[1])[0].result, log.splice(0)]);
  const alone = (name) => ['runToolCode', { code: `return await ${name}({});` }, name];
  const apart = await drive(define, scripted(callTurn(alone('enter'), alone('open')), textTurn('ok')));
  print([valuesOf(apart.steps[1]).map(({ result }) => result), log.at(-1)]);
};
