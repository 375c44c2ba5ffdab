// A member that a namespace does not have, and a call of the namespace itself, are type errors with their lines.

import { func } from 'lmthing/plugins';
import { z } from 'zod';
import { print, runCode } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const log = [];
  const define = ({ defFunction }) => defFunction('math', 'Arithmetic', [
    func('double', 'Doubles', z.object({ a: z.number() }), ({ a }) => { log.push(a); return a * 2; }, { responseSchema: z.number() }),
  ]);
  const shown = ({ success, errors }) => [success, errors.map((error) => [error.line, error.column, error.code])];
  print(shown(await runCode(define, ['await math.double({ a: 1 });', 'return await math.treble({ a: 1 });'])));
  print(shown(await runCode(define, 'return await math({ a: 1 });')));
  print(shown(await runCode(define, 'return await double({ a: 1 });')));
  print(log);
};
