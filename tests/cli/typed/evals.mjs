import { judge } from 'lmthing/eval';

export const file = './ask.lmt.mjs';

/** @satisfies {import('lmthing/eval').Rows} */
export const rows = async () => [{ city: 'Rome', expected: 'Italy' }];

/** @satisfies {import('lmthing/eval').Scores} */
export const scores = {
  right: ({ text, row }) => text.trim() === row.expected,
  short: async ({ run }) => Math.min(1, 10 / run.text.length),
  calls: ({ run }) => run.toolCalls.every((call) => call.toolName.length > 0),
  polite: judge('is polite', { model: 'openai:gpt-5', of: 3 }),
  both: async (cell) => (await judge('is short', { model: 'openai:gpt-5' })(cell)).pass && cell.text !== '',
  reasoned: () => ({ score: 0.5, reason: 'so' }),
  wrong: () => 'yes', //~ TS2322
  missing: ({ run }) => run.steps.lenght === 1, //~ TS2551
};

judge('is polite', {}); //~ TS2741

/** @satisfies {import('lmthing/eval').Variants} */
export const variants = {
  short: { file: './short.lmt.mjs', model: 'openai:gpt-5', input: { city: 'Oslo' } },
  cold: { options: { temperature: 0 }, limits: { cost: 1 } },
  typo: { modle: 'x' }, //~ TS2561
};
