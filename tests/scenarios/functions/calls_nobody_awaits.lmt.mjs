// A call that was not awaited ends before the answer is given; when it fails, the run continues nevertheless.

import { z } from 'zod';
import { print, runCode } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const log = [];
  const define = ({ defFunction }) => {
    const later = (end) => () => new Promise((resolve, reject) => { setTimeout(() => end(resolve, reject), 60); });
    defFunction('store', 'Stores', z.object({}), later((resolve) => { log.push('stored'); resolve(1); }));
    defFunction('lose', 'Loses', z.object({}), later((resolve, reject) => { log.push('lost'); reject(new Error('gone')); }));
  };
  print([(await runCode(define, 'void store({});\nreturn "early";')).result, log]);
  const { success } = await runCode(define, 'void lose({});\nreturn "early";');
  print([typeof success, log]);
  print((await runCode(define, 'await new Promise(() => {});\nreturn 1;')).success);
};
