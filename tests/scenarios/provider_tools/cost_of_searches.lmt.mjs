// Searches of the provider cost `webSearch` of the model's prices; a pause is no step of the limit on steps.

import { searchingTwice } from './helpers.mjs';

export const config = {
  model: searchingTwice(),
  prices: { 'anthropic.messages:m': { input: 1, output: 1, webSearch: 1000 } },
};

export default ({ defWebSearch, $ }) => {
  defWebSearch();
  $`go`;
};
