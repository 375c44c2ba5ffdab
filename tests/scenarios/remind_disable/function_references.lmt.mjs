// Function references can be reminded of and disabled like any other.

import { z } from 'zod';
import { call, drive, print, say, systemOf, textOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps } = await drive(async ({ defFunction, defTool, defEffect, getRemindedItems, $ }) => {
    defTool('ping', 'P', z.object({}), () => 'pong');
    const add = defFunction('add', 'Adds', z.object({ a: z.number() }), ({ a }) => a);
    const multiply = defFunction('multiply', 'Multiplies', z.object({ a: z.number() }), ({ a }) => a);
    defEffect((ctx) => { if (ctx.stepNumber === 1) { add.disable(); multiply.remind(); print(getRemindedItems()); } });
    $`go`;
  }, [call('ping'), call('ping', {}, 'c2'), say('ok')]);
  print(steps.map((s) => [systemOf(s).includes('function add'), systemOf(s).includes('function multiply'), textOf(s.input.prompt.at(-1)).startsWith('[Reminder:')]));
};
