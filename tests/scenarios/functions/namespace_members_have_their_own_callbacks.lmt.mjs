// Each member of a namespace has its own callbacks and schemas; the others do without.

import { func } from 'lmthing/plugins';
import { z } from 'zod';
import { print, runCode } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const log = [];
  const { result } = await runCode(({ defFunction }) => defFunction('shop', 'Shop', [
    func('buy', 'Buys', z.object({ id: z.string() }), ({ id }) => `bought ${id}`, {
      beforeCall: ({ id }) => { log.push(`before ${id}`); },
      onSuccess: (input, output) => `${output}!`,
    }),
    func('sell', 'Sells', z.object({ id: z.string() }), ({ id }) => { throw new Error(`no ${id}`); }, {
      onError: ({ id }, { error }) => `kept ${id}: ${error}`,
    }),
    func('look', 'Looks', z.object({}), () => 'seen'),
  ]), 'return [await shop.buy({ id: "tea" }), await shop.sell({ id: "cup" }), await shop.look({})];');
  print([log, result]);
};
