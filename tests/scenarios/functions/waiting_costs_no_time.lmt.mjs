// The time limit of the code is paused while a function or an agent works, and continues afterwards.

import { createMockModel } from 'lmthing/test';
import { z } from 'zod';
import { code, drive, print, say, valuesOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps } = await drive(({ defFunction, defFunctionAgent, $ }) => {
    defFunction('rest', 'Rests', z.object({}), () => new Promise((done) => { setTimeout(() => done('rested'), 400); }));
    defFunctionAgent('think', 'Thinks', z.object({}), (args, child) => { child.$`t`; }, { model: createMockModel([say('hm')], { delay: 400 }) });
    $`go`;
  }, [
    code('return [await rest({}), await think({}), await rest({})];'),
    code('await rest({});\nfor (;;) {}', 'c2'),
    say('ok'),
  ], { sandbox: { cpuMs: 200 } });
  const [patient, endless] = steps.slice(1).map((step) => valuesOf(step)[0]);
  print([patient, endless.success, endless.error.includes('200 ms')]);
};
