// Names that code cannot call, schemas that are none and a missing function are TypeErrors that name the method.

import { z } from 'zod';
import { drive, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  await drive(({ defMethod, $ }) => {
    const refused = (name, ...rest) => {
      try { defMethod(name, ...rest); return 'taken'; } catch (error) { return error instanceof TypeError && error.message.includes(name); }
    };
    const fn = () => 1;
    print(['get-user', 'a b', '1st', 'return', 'console', ''].map((name) => refused(name, 'D', z.object({}), fn)));
    print([refused('a', 5, z.object({}), fn), refused('b', 'D', 'schema', fn), refused('c', 'D', z.object({})), refused('d', 'D', z.object({}), fn, 'text')]);
    print(refused('good', 'D', z.object({}), fn));
    $`go`;
  }, [say('ok')]);
};
