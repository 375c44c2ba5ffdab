// A plugin can build on state, tools and effects, and is re-run like the body.

import { z } from 'zod';
import { call, drive, print, say, systemOf, valuesOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const counter = { defCounter(start) {
    const [n, set] = this.defState('count', start);
    this.defTool('count', 'Counts', z.object({}), () => { set((p) => p + 1); return this.getState('count'); });
    this.defEffect((ctx, step) => { step('variables', [{ name: 'COUNT', type: 'string', value: String(n) }]); }, [n]);
    return n;
  } };
  const seen = [];
  const { steps } = await drive(async ({ defCounter, $ }) => { seen.push(defCounter(5)); $`go`; }, [call('count'), say('ok')], { plugins: [counter] });
  print([seen, steps.map(systemOf), valuesOf(steps[1])]);
};
