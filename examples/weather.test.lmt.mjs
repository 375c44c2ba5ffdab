// Shows how prompt files with real models are tested without one: the mock stands in the test.
//
//   lmthing test examples/weather.test.lmt.mjs

import { expect, run, test } from 'lmthing/test';

const text = (text) => ({ type: /** @type {const} */ ('text'), text });
const call = (toolName, args) => ({ type: /** @type {const} */ ('tool-call'), toolName, args });

test('looks up both cities', async () => {
  const answer = await run('./weather.lmt.mjs', {
    mock: [call('getWeather', { city: 'Lisbon' }), call('getWeather', { city: 'Paris' }), text('Go to Lisbon.')],
  });

  expect(answer).toHaveCalledTools([['getWeather', { city: 'Lisbon' }], ['getWeather', { city: 'Paris' }]]);
  expect(answer.toolCalls.map(({ output }) => output)).toEqual([
    { celsius: 24, sky: 'clear' },
    { error: 'no weather station in Paris' },
  ]);
});

test('greets whoever runs it', async () => {
  const answer = await run('./hello.lmt.mjs', { mock: [text('Hello!')], env: { USER: 'ada' } });

  expect(answer).toHaveSystem(/<NAME>\s*ada\s*<\/NAME>/);
});

test('is reminded of the data after two computations', async () => {
  const answer = await run('./data-analysis.lmt.mjs', {
    mock: [
      call('total', { column: 'revenue', region: 'north' }),
      call('total', { column: 'units', region: 'north' }),
      text('North earned 30 per unit.'),
    ],
  });

  expect(answer.toolCalls.map(({ output }) => output)).toEqual([6450, 215]);
  expect(JSON.stringify(answer.steps[2].input.prompt.at(-1))).toContain('SALES');
});
