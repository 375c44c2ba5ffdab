// Names must be non-empty without white space or angle brackets; the error names the method and the name.

import { z } from 'zod';
import { drive, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const said = [];
  await drive(async ({ def, defData, defSystem, defTool, defAgent, $ }) => {
    const bad = 'two words';
    for (const [method, run] of Object.entries({
      def: () => def(bad, 'x'),
      defData: () => defData('a<b', {}),
      defSystem: () => defSystem('a>b', 'x'),
      defTool: () => defTool('', 'd', z.object({}), () => 1),
      defAgent: () => defAgent('tab\there', 'd', z.object({}), () => 1),
    })) {
      try { run(); said.push('none'); } catch (e) { said.push([e instanceof TypeError, e.message.includes(method)]); }
    }
    try { def(bad, 'x'); } catch (e) { said.push(e.message.includes(bad)); }
    $`go`;
  }, [say('ok')]);
  print(said);
};
