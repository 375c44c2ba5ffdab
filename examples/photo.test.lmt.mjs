// Shows how a prompt file that takes a file is tested.
//
//   lmthing test examples/photo.test.lmt.mjs

import { expect, run, test } from 'lmthing/test';

const dot = new File([Uint8Array.of(0x89, 0x50, 0x4e, 0x47)], 'dot.png', { type: 'image/png' });

test('the picture stands before the question', async () => {
  const answer = await run('./photo.lmt.mjs', { input: { photo: dot } });

  const [picture, question] = answer.steps[0]?.input.prompt.at(-1)?.content ?? [];
  expect(picture).toMatchObject({ type: 'file', filename: 'dot.png', mediaType: 'image/png', data: 'iVBORw==' });
  expect(question?.text).toBe(' What is in this picture?');
});

test('other files are refused', async () => {
  const answer = await run('./photo.lmt.mjs', { input: { photo: new File(['text'], 'notes.md') } });

  expect(answer.error).toMatchObject({ kind: 'usage', message: expect.stringContaining('notes.md') });
});
