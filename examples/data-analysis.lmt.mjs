// Shows structured data in the system prompt, and an effect that reminds the model of it. Needs OPENAI_API_KEY.
//
//   lmthing run examples/data-analysis.lmt.mjs

import { z } from 'zod';

export const config = { model: 'openai:gpt-6.1-sol', options: { reasoning: 'low' } };

const sales = [
  { month: '2026-01', region: 'north', units: 120, revenue: 3600 },
  { month: '2026-01', region: 'south', units: 80, revenue: 2320 },
  { month: '2026-02', region: 'north', units: 95, revenue: 2850 },
  { month: '2026-02', region: 'south', units: 140, revenue: 4060 },
];

export default async ({ defData, defSystem, defState, defEffect, defTool, $ }) => {
  const data = defData('SALES', sales);
  defSystem('role', 'You are an analyst. Compute with the tools, never in your head.');

  const [computed, setComputed] = defState('computed', 0);
  defTool(
    'total',
    'Adds up one column of the sales, for one region or for all',
    z.object({ column: z.enum(['units', 'revenue']), region: z.enum(['north', 'south']).optional() }),
    async ({ column, region }) => {
      setComputed((count) => count + 1);
      return sales.filter((row) => !region || row.region === region).reduce((sum, row) => sum + row[column], 0);
    },
  );

  // After each pair of computations the model is reminded of what it is working on.
  defEffect(() => { if (computed > 0 && computed % 2 === 0) data.remind(); }, [computed]);

  $`Which region of ${data} earned more per unit, and by how much?`;
};
