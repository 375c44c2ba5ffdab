// What code throws comes back with its message, its kind and the line of the code, also below syntax that is TypeScript's own.

import { z } from 'zod';
import { print, runCode } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const define = ({ defFunction }) => defFunction('open', 'Opens', z.object({}), () => { throw new RangeError('door is stuck'); });
  const shown = ({ success, error, message }, ...parts) => [success, error, parts.map((part) => message.includes(part))];
  print(shown(await runCode(define, 'const a = 1;\n\nthrow new TypeError("own " + "goal");'), 'TypeError', 'line 3', 'throw new TypeError'));
  print(shown(await runCode(define, 'enum Way { In, Out }\ninterface Door {\n  way: Way;\n}\n\nawait open({});'), 'line 6', 'await open({})'));
  print(shown(await runCode(define, 'const door: any = null;\nreturn door.way;'), 'TypeError', 'line 2').flat(1).filter((part) => part === true).length);
  print([(await runCode(define, 'throw "just text";')).error, (await runCode(define, 'throw { code: 7 };')).error]);
};
