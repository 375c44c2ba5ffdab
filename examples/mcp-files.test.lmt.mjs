import { expect, run, test } from 'lmthing/test';

test('the files are listed and read', async () => {
  const done = await run('./mcp-files.lmt.mjs');
  expect(done).toHaveCalledTools(['notes_list-files', ['notes_read-file', { name: 'shopping.txt' }], 'notes_read-file']);
  expect(done.text).toContain('lamp');
});
