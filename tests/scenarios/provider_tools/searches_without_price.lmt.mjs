// Without a price of searches the cost of an answer with searches is unknown.

import { searchingTwice } from './helpers.mjs';

export const config = {
  model: searchingTwice(),
  prices: { 'anthropic.messages:m': { input: 1, output: 1 } },
};

export default ({ defWebSearch, $ }) => {
  defWebSearch();
  $`go`;
};
