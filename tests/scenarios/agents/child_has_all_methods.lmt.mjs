// A child prompt has the same methods as its parent, plugins included.

import { createMockModel } from 'lmthing/test';
import { z } from 'zod';
import { call, drive, print, say, systemOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const extra = { defGreeting(name) { this.defSystem('greeting', 'Greet ' + name); return 'ok'; } };
  let missing;
  await drive(async (p) => {
    p.defAgent('kid', 'K', z.object({}), (args, child) => {
      missing = Object.keys(p).filter((k) => typeof p[k] === 'function' && typeof child[k] !== 'function');
      child.defGreeting('Bo');
      print(systemOf({ input: { prompt: [] } }));
      child.$`x`;
    }, { model: createMockModel([say('y')]) });
    p.$`go`;
  }, [call('kid'), say('ok')], { plugins: [extra] });
  print(missing);
};
