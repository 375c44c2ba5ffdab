// A <run_code> block in text that carries provider metadata is run; the metadata stays with the text.

import { z } from 'zod';
import { drive, print, scripted } from './helpers.mjs';
export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const delta = (text) => ({ type: 'text-delta', id: '0', delta: text, providerMetadata: { google: { thoughtSignature: 's' } } });
  const model = scripted([
    { type: 'stream-start', warnings: [] }, { type: 'text-start', id: '0' }, delta('a <run_co'), delta('de>return await one({});</run_code> b'),
    { type: 'text-end', id: '0' }, { type: 'finish', finishReason: 'stop', usage: {} },
  ]);
  const { text } = await drive(async ({ defMethod, $ }) => { defMethod('one', 'O', z.object({}), () => 1, z.number()); $`go`; }, model);
  print(text);
};
