// A model that computes between the parts of its answer is not taken for one that waits for nothing.

import { callTurn, drive, print, textTurn } from './helpers.mjs';
import { z } from 'zod';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

const compute = (milliseconds) => { for (const end = Date.now() + milliseconds; Date.now() < end;); };

export default async ({ $ }) => {
  $`scenario`;
  const level = (n) => (args, child) => {
    if (n < 3) child.defAgent('next', 'N', z.object({}), level(n + 1));
    child.$`level ${n}`;
  };
  const answer = async function* ({ tools, prompt }) {
    const isInnermost = !tools?.length;
    const isUp = isInnermost || prompt.some((message) => message.role === 'tool');
    for (const part of isUp ? textTurn('up') : callTurn(['next', {}, 'c'])) {
      if (isInnermost) compute(300);
      yield part;
    }
  };
  const model = { doStream: async (options) => ({ stream: answer(options) }) };
  const { text } = await drive(async ({ defAgent, $ }) => {
    defAgent('next', 'N', z.object({}), level(1));
    $`go`;
  }, model);
  print([text]);
};
