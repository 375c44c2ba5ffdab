// Names that TypeScript cannot write, or that code needs itself, are TypeErrors that name them; names of members too.

import { func } from 'lmthing/plugins';
import { z } from 'zod';
import { drive, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  await drive(({ defFunction, defFunctionAgent, $ }) => {
    const member = (...names) => names.map((name) => func(name, 'M', z.object({}), () => 1));
    const attempt = (define, name) => {
      try { define(); return 'taken'; } catch (error) { return error instanceof TypeError && error.message.includes(name); }
    };
    const single = (name) => attempt(() => defFunction(name, 'F', z.object({}), () => 1), name);
    const among = (...names) => attempt(() => defFunction('space', 'S', member(...names)), names.at(-1));
    print(['get-price', 'get price', '2nd', 'await', 'class', 'a.b', 'console', 'Promise', ''].map(single));
    print([among('ok', 'get-price'), among('new'), among('twin', 'twin'), attempt(() => defFunction('my-space', 'S', member('a')), 'my-space')]);
    print([attempt(() => defFunctionAgent('an-agent', 'A', z.object({}), () => {}), 'an-agent'), attempt(() => defFunction('none', 'N', []), 'none')]);
    print([single('größe'), single('$_1'), among('get_price', 'delete_')]);
    $`go`;
  }, [say('ok')]);
};
