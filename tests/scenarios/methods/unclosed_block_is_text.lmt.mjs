// A block that is never closed is text and is not run, also when its closing tag is cut off.

import { z } from 'zod';
import { answerTo, print } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const log = [];
  const define = ({ defMethod }) => defMethod('tick', 'Ticks', z.object({}), () => { log.push('ran'); });
  for (const text of ['go <run_code>await tick({});', 'go <run_code>await tick({});</run_cod', 'go <run_code>']) {
    print([await answerTo(define, text), await answerTo(define, [...text])].map((answer) => answer === text));
  }
  print(log);
};
