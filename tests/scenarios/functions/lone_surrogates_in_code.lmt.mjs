// Half a surrogate pair in the arguments of runToolCode is read as JSON.parse reads it; the code runs and the run continues.

import { z } from 'zod';
import { call, drive, outputsOf, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps, text } = await drive(({ defFunction, $ }) => {
    defFunction('size', 'Size', z.object({ text: z.string() }), (args) => args.text.length, { responseSchema: z.number() });
    $`go`;
  }, [
    call('runToolCode', String.raw`{"code":"return await size({ text: \"\ud800x\" });"}`),
    call('runToolCode', String.raw`{"code":"return \"a\udc00\".length; // \ud83d\ude00 \ud800"}`, 'c2'),
    call('runToolCode', String.raw`{"code":"return \"\ud83d\ude00\";"}`, 'c3'),
    say('went on'),
  ]);
  print(steps.slice(1).map((step) => outputsOf(step)[0].value.result));
  print(text);
};
