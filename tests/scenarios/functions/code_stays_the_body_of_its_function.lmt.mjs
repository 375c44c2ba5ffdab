// Code cannot close the function it is the body of; what looks so is a syntax error. Comments at the end harm nothing.

import { z } from 'zod';
import { print, runCode } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const define = ({ defFunction }) => {
    defFunction('add', 'Adds', z.object({ a: z.number(), b: z.number() }), ({ a, b }) => a + b, { responseSchema: z.number() });
  };
  const refused = async (source) => (await runCode(define, source)).errors?.length > 0;
  print([await refused('}\nthrow 1;\n{'), await refused('return 1;\n} async function more() {'), await refused('return 1;\n/* open')]);
  print([await refused('})();\n(async () => {'), await refused('return 1; }\nclass More {'), await refused('return `${1')]);
  print([(await runCode(define, 'return await add({ a: 1, b: 2 }); // three')).result, (await runCode(define, '')).result]);
  print((await runCode(define, 'return this === undefined && typeof arguments;')).success);
};
