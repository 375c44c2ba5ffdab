// `-f events` shows calls of the provider and sources; the result has the sources of all steps.

export const config = { model: 'mock' };
export const mock = [
  { type: 'tool-call', toolName: 'web_search', args: { query: 'x' }, providerExecuted: true },
  { type: 'tool-result', result: 'found' },
  { type: 'source', id: 'p', url: 'https://a', cites: [{ start: 0, end: 2, text: 'Ok' }] },
  { type: 'text', text: 'Ok' },
];

export default ({ $ }) => {
  $`go`;
};
