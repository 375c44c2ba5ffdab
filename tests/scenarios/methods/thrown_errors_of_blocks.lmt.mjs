// What a block or a method throws is inserted as <code_error> and ends the answer; errors that code catches are none.

import { z } from 'zod';
import { answerTo, print } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const define = ({ defMethod }) => defMethod('find', 'Finds', z.object({ id: z.string() }), ({ id }) => { throw new Error(`no user ${id}`); });
  const answer = (source) => answerTo(define, `a <run_code>${source}</run_code> b`);
  const messages = [await answer('await find({ id: "0" });'), await answer('throw new TypeError("own goal");'), await answer('throw "text";')];
  print(messages.map((text) => text.match(/^a <code_error>.*(no user 0|own goal|text).*<\/code_error>$/s)?.[1]));
  print(await answer('try { await find({ id: "1" }); } catch (error) { return (error as Error).message; }'));
};
