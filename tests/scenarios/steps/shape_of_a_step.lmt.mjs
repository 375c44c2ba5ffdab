// A step has input, output and activeTools, and nothing else that matters.

import { z } from 'zod';
import { drive, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps } = await drive(async ({ defTool, defSystem, $ }) => {
    defSystem('s', 'S'); defTool('ping', 'P', z.object({}), () => 'pong');
    $`go`;
  }, [say('ok')]);
  print([Object.keys(steps[0]).sort(), Object.keys(steps[0].input), Object.keys(steps[0].output).sort(), steps[0].activeTools]);
  print(steps[0].input.prompt[0].role + ' ' + typeof steps[0].input.prompt[0].content);
};
