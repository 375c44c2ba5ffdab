// ctx.tools shows the description and JSON Schema that the model gets; composites list their members.

import { tool } from 'lmthing';
import { z } from 'zod';
import { drive, print, say } from './helpers.mjs';
export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  await drive(async ({ defTool, defAgent, defFunction, defEffect, $ }) => {
    defTool('one', 'One', z.object({ a: z.string() }), () => 1, { responseSchema: z.number() });
    defTool('many', 'Many', [tool('x', 'The x', z.object({ n: z.number() }), () => 1), tool('y', 'The y', z.object({}), () => 1)]);
    defAgent('ask', 'Asks', z.object({ q: z.string() }), () => {});
    defFunction('f', 'F', z.object({}), () => 1);
    defEffect(({ tools }) => {
      print(tools.map((t) => [t.name, t.type, Object.keys(t.inputSchema.properties)]));
      print([tools[0].inputSchema.properties.a, tools[0].description.startsWith('One\nReturns JSON')]);
      print([tools[1].description.includes('- x: The x') && tools[1].description.includes('- y: The y'), tools[1].tools.map((t) => t.name), 'tools' in tools[0]]);
      print([tools.has('many'), tools.has('x')]);
    });
    $`go`;
  }, [say('ok')]);
};
