// A model whose provider has no such tool calls `else` as an ordinary tool; the search has a name that no other tool has.

import { call, drive, print, say, valuesOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [say('')];

export default async ({ $ }) => {
  $`scenario`;
  let seen;
  const { steps } = await drive(({ defWebSearch, defTool, defProviderTool, defEffect, $ }) => {
    const search = defWebSearch({ else: async ({ query }, { toolCallId }) => `found ${query} by ${toolCallId}` });
    defTool('web_search', 'Mine', { type: 'object' }, () => 'mine');
    defProviderTool('python', { openai: { type: 'code_interpreter' } }, { else: (args) => args });
    defProviderTool('bare', { openai: { type: 'x' } });
    defEffect((context) => { seen = [String(search), ...context.tools.map((tool) => [tool.name, tool.inputSchema.required ?? []])]; });
    $`go`;
  }, [
    call('web_search_2', { query: 'rain' }, 'c1'),
    call('web_search_2', { text: 'rain' }, 'c2'),
    call('web_search', {}, 'c3'),
    call('python', { any: [1] }, 'c4'),
    call('bare', {}, 'c5'),
    say('ok'),
  ]);
  print(seen);
  for (const step of steps.slice(1)) print(valuesOf(step));
};
