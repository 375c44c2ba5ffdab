// Plain JSON Schema types the code and validates arguments and results as zod does.

import { print, runCode } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const define = ({ defFunction }) => {
    const properties = { unit: { enum: ['C', 'F'] }, degrees: { type: 'number', maximum: 1000 }, note: { type: 'string' } };
    const input = { type: 'object', properties, required: ['unit', 'degrees'], additionalProperties: false };
    defFunction('warm', 'Warms', input, ({ unit, degrees }) => (unit === 'F' ? 'hot' : degrees + 1), { responseSchema: { type: 'number' } });
  };
  const codes = async (source) => (await runCode(define, source)).errors.map((error) => error.code);
  print((await runCode(define, 'const next: number = await warm({ unit: "C", degrees: 20 });\nreturn next;')).result);
  print([await codes('return await warm({ unit: "K", degrees: 1 });'), await codes('return await warm({ unit: "C" });')]);
  const { result } = await runCode(define, [
    'const message = (error: Error) => error.message;',
    'return [await warm({ unit: "C", degrees: 2000 }).catch(message), await warm({ unit: "F", degrees: 1 }).catch(message)];',
  ]);
  print(result.map((text) => typeof text === 'string' && text.includes('warm')));
};
