// The context lists messages, tools, systems and variables, each with has, filter, map and iteration.

import { z } from 'zod';
import { drive, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  await drive(async ({ def, defData, defSystem, defTool, defEffect, $ }) => {
    def('A', '1'); defData('B', { x: 2 });
    defSystem('rules', 'Be kind.');
    defTool('ping', 'Pings', z.object({}), async () => 'pong');
    defEffect((ctx) => {
      print(['tools', 'systems', 'variables'].map((k) => [...ctx[k]].map((item) => item.name)));
      print([ctx.tools.has('ping'), ctx.tools.has('pong'), ctx.systems.has('rules'), ctx.variables.has('A'), ctx.variables.has('C')]);
      print([ctx.tools.filter((t) => t.name === 'ping').length, ctx.systems.map((s) => s.name), ctx.variables.map((v) => v.name)]);
      print([ctx.messages.length, ctx.messages.map((m) => m.role), [...ctx.messages].length, ctx.messages.filter((m) => m.role === 'user').length]);
      print([ctx.stepNumber, ctx.lastTool]);
    });
    $`hello`;
  }, [say('ok')]);
};
