// Several reminders make one message with a line for each item.

import { z } from 'zod';
import { drive, print, say, textOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps } = await drive(async ({ def, defSystem, defTool, $ }) => {
    def('A', '1').remind(); defSystem('rules', 'R').remind(); defTool('find', 'F', z.object({}), () => 1).remind();
    $`go`;
  }, [say('ok')]);
  const reminders = steps[0].input.prompt.filter((m) => textOf(m).startsWith('[Reminder:'));
  print([reminders.length, ['A', 'rules', 'find'].map((n) => textOf(reminders[0]).split('\n').filter((l) => l.includes(n)).length)]);
};
