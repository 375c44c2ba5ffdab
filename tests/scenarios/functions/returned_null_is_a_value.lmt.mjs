// A block that returns nothing leaves the text as it is; null is a value like any other.

import { z } from 'zod';
import { drive, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

const answer = async (code) => {
  const { text } = await drive(async ({ defMethod, $ }) => {
    defMethod('none', 'Gives null.', z.object({}), () => null);
    $`go`;
  }, [say(`a<run_code>${code}</run_code>b`)]);
  return text;
};

export default async ({ $ }) => {
  $`scenario`;
  for (const code of ['await none({});', 'return;', 'return undefined;', 'return null;', 'return await none({});']) {
    print(await answer(code));
  }
};
