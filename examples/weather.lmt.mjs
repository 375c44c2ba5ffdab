// Shows tools with a real model: the model asks for the weather, two cities at once if it likes, and sums it up.
// Needs ANTHROPIC_API_KEY; when Anthropic fails before its first word, the next model of the list is tried.
//
//   lmthing run examples/weather.lmt.mjs

import { z } from 'zod';

export const config = {
  model: ['anthropic:claude-haiku-5-5', 'openai:gpt-6-luna'],
  options: { maxOutputTokens: 500, maxRetries: 1 },
};

const weather = {
  Lisbon: { celsius: 24, sky: 'clear' },
  Oslo: { celsius: 11, sky: 'rain' },
};

export default async ({ defTool, $ }) => {
  const getWeather = defTool(
    'getWeather',
    'Current weather of a city',
    z.object({ city: z.string().describe('the name of the city, in English') }),
    async ({ city }) => weather[city] ?? { error: `no weather station in ${city}` },
    { responseSchema: z.union([
      z.object({ celsius: z.number(), sky: z.string() }),
      z.object({ error: z.string() }),
    ]) },
  );

  $`Use ${getWeather} to compare the weather in Lisbon and Oslo. Where should I go for a walk?`;
};
