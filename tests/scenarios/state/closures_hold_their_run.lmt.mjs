// A tool made in one run sees that run's snapshot; after the re-run the new tool sees the new one.

import { z } from 'zod';
import { call, drive, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const seen = [];
  await drive(async ({ defState, defTool, $ }) => {
    const [items, setItems] = defState('items', []);
    defTool('add', 'Adds', z.object({ x: z.string() }), ({ x }) => { seen.push([...items]); setItems([...items, x]); return items.length; });
    $`go`;
  }, [call('add', { x: 'a' }, 'c1'), call('add', { x: 'b' }, 'c2'), call('add', { x: 'c' }, 'c3'), say('ok')]);
  print(seen);
};
