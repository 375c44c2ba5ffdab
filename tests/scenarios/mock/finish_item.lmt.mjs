// A finish item sets the finish reason of its turn.

import { drive, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { result } = await drive(async ({ $ }) => { $`go`; }, [say('cut'), { type: 'finish', finishReason: 'length' }]);
  print(await result.finishReason);
};
