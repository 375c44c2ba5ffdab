// Variables, sections, tools and agents that are not made again are gone; what comes back is back.

import { z } from 'zod';
import { call, drive, print, say, systemOf } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const { steps } = await drive(async ({ defState, def, defData, defSystem, defTool, defAgent, $ }) => {
    const [n, setN] = defState('n', 0);
    defTool('next', 'Next', z.object({}), () => { setN((p) => p + 1); return 'ok'; });
    if (n !== 1) {
      def('V', String(n)); defData('D', [n]); defSystem('s', 'S');
      defTool('t', 'T', z.object({}), () => 1);
      defAgent('a', 'A', z.object({}), (args, c) => { c.$`x`; });
    }
    $`go`;
  }, [call('next'), call('next', {}, 'c2'), say('ok')]);
  print(steps.map((s) => [systemOf(s), s.activeTools]));
};
