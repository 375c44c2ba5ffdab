// A function that a re-run does not define is gone from section and code; with the last one runToolCode goes and cannot be called.

import { z } from 'zod';
import { code, drive, print, say, systemOf, valuesOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps, text } = await drive(({ defFunction, defState, defTool, $ }) => {
    const [left, setLeft] = defState('left', 2);
    if (left > 1) defFunction('first', 'First', z.object({}), () => { setLeft(1); return 1; });
    if (left > 0) defFunction('second', 'Second', z.object({}), () => { setLeft(0); return 2; });
    defTool('other', 'Other', z.object({}), () => 'other');
    $`go`;
  }, [
    code('return await first({});'),
    code('return await first({});', 'c2'),
    code('return await second({});', 'c3'),
    code('return 4;', 'c4'),
    say('went on'),
  ]);
  const shown = (step) => ['function first', 'function second'].map((name) => systemOf(step).includes(name));
  print(steps.map((step) => [...shown(step), step.activeTools.includes('runToolCode')]));
  const [first, gone, second, none] = steps.slice(1).map((step) => valuesOf(step)[0]);
  print([first.result, gone.errors.map((error) => error.code), second.result, typeof none.error, text]);
};
