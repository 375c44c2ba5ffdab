// Ten thousand sources of one answer have ten thousand ids.

import { runPrompt } from 'lmthing';
import { createMockModel } from 'lmthing/test';
import { print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [say('')];

export default async ({ $ }) => {
  $`scenario`;
  const pages = Array.from({ length: 10_000 }, (_, number) => ({ type: 'source', id: 'same', url: `https://a.example/${number}` }));
  const { result } = await runPrompt(({ $ }) => { $`go`; }, { model: createMockModel([...pages, pages[7], say('Ok')]) });
  const sources = await result.sources;
  const ids = new Set(sources.map((source) => source.id));
  print([sources.length, ids.size, sources[0].id, sources[7].id, sources.at(-1).id]);
};
