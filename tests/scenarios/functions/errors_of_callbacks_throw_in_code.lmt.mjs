// What a callback throws is thrown in the code; it is not handed to onError.

import { z } from 'zod';
import { print, runCode } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const log = [];
  const note = (text) => () => { log.push(text); };
  const fail = (text) => () => { throw new Error(text); };
  const define = ({ defFunction }) => {
    defFunction('early', 'E', z.object({}), note('execute early'), { beforeCall: fail('too early'), onError: note('onError of early') });
    defFunction('late', 'L', z.object({}), () => 1, { onSuccess: fail('too late'), onError: note('onError of late') });
    defFunction('twice', 'T', z.object({}), fail('once'), { onError: fail('twice') });
  };
  const message = (name) => `await ${name}({}).catch((error: Error) => error.message)`;
  const { result } = await runCode(define, `return [${['early', 'late', 'twice'].map(message).join(', ')}];`);
  print([result, log]);
};
