// A limit on cost needs the price of searches, before the first request.

import { searchingTwice } from './helpers.mjs';

export const config = {
  model: { ...searchingTwice(), doStream: () => { throw new Error('a request was sent'); } },
  prices: { 'anthropic.messages:m': { input: 1, output: 1 } },
};

export default ({ defWebSearch, $ }) => {
  defWebSearch();
  $`go`;
};
