import { openai } from 'lmthing';
import { createMockModel } from 'lmthing/test';
import { z } from 'zod';

/** @satisfies {import('lmthing').Config} */
export const config = {
  model: openai('gpt-4o'),
  options: {
    toolChoice: 'required', reasoning: { tokens: 100 }, timeout: { total: 1000 }, temperature: process.env.HOT ? 1 : 0,
    stopWhen: ({ steps }) => steps.length > 3, onStepFinish: ({ usage }) => usage.inputTokens, onFinish: ({ txt }) => txt, //~ TS2339
  },
  limits: { steps: 10, time: '90s' },
  prices: { 'openai:gpt-4o': { input: 1, output: 2 } },
  sandbox: { check: 'essential', cpuMs: 100 },
};
/** @satisfies {import('lmthing').Config} */
export const typos = {
  modle: 'mock', //~ TS2561
};
/** @satisfies {import('lmthing').Config} */
export const inner = {
  model: 'mock',
  options: { temprature: 1 }, //~ TS2561
  limits: { tokens: 5, stpes: 1 }, //~ TS2561
  sandbox: { cpu: 5 }, //~ TS2353
  prices: { 'a:b': { input: 1 } }, //~ TS2322
};
/** @satisfies {import('lmthing').Config} */
export const values = {
  model: openai, //~ TS2322
  options: {
    toolChoice: 'any', //~ TS2322
    reasoning: 'some', //~ TS2322
    stopSequences: 'END', //~ TS2322
  },
};
/** @satisfies {import('lmthing').InputSchema} */
export const input = z.object({ city: z.string(), days: z.coerce.number().default(3) });
/** @satisfies {import('lmthing').InputSchema} */
export const described = { type: 'object', properties: { city: { type: 'string' } } };
/** @satisfies {import('lmthing').InputSchema} */ //~ TS1360
export const text = z.string();

/** @type {import('lmthing').PromptFunctionOf<typeof config, typeof input>} */
export default ({ def }, { city, days, dyas }) => [def('CITY', city), days.toFixed(), city.toFixed()].concat(dyas); //~ TS2339 TS2551
/** @type {import('lmthing').PromptFunctionOf<typeof config, typeof described>} */
export const loose = ({ $ }, { city }) => $`${city.anything}`;
/** @type {import('lmthing').PromptFunctionOf<typeof config>} */
export const without = ({ $ }, ...rest) => $`${rest.length}`;

/** @satisfies {readonly import('lmthing').MockItem[]} */
export const mock = [
  { type: 'text', text: 'a' },
  { type: 'tool-call', toolName: 'b', args: { c: 1 } },
  { type: 'tool-call', name: 'b', args: {} }, //~ TS2353
  { type: 'tool_call', toolName: 'b' }, //~ TS2820
  { type: 'text', text: 5 }, //~ TS2322
  { type: 'finish', finishReason: 'length' },
  { type: 'error', error: 'broken' },
];
const say = (text) => ({ type: 'text', text });
createMockModel([say('a'), { type: 'finish' }], { delay: 1, usage: { inputTokens: 1 } });
createMockModel(['a', 'b'].map((letter) => ({ type: 'text', text: letter })));
createMockModel([{ type: 'txt', text: 'a' }]); //~ TS2820
createMockModel([], { dealy: 1 }); //~ TS2561
