// A hidden namespace is gone from the section and from the code of that step; with all functions hidden the section goes.

import { func } from 'lmthing/plugins';
import { z } from 'zod';
import { code, drive, print, say, systemOf, valuesOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps } = await drive(({ defFunction, defEffect, $ }) => {
    const counter = defFunction('counter', 'Counts', [func('one', 'One', z.object({}), () => 1)]);
    const two = defFunction('two', 'Two', z.object({}), () => 2);
    defEffect(({ stepNumber }) => {
      if (stepNumber < 2) counter.disable();
      if (stepNumber === 1) two.disable();
    });
    $`go`;
  }, [
    code('return await counter.one({});'),
    code('return await two({});', 'c2'),
    code('return await counter.one({}) + await two({});', 'c3'),
    say('ok'),
  ]);
  const shown = (step) => ['<available_functions>', 'namespace counter', 'function two'].map((text) => systemOf(step).includes(text));
  print(steps.map(shown));
  const [first, second, third] = steps.slice(1).map((step) => valuesOf(step)[0]);
  print([first.errors[0].code, second.success, third.result]);
};
