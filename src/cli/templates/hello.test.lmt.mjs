import { expect, run, test } from 'lmthing/test';

test('greets by name', async () => {
  // The mock answers, also when the file names a real model.
  const greeting = await run('./hello.lmt.mjs', { model: 'mock' });

  expect(greeting.text).toContain('Ada');
  expect(greeting).toHaveSystem('cheerful');
});
