// Every method refuses arguments of the wrong type with a TypeError that names the method.

import { z } from 'zod';
import { drive, print, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const kinds = [];
  await drive(async (p) => {
    const tries = {
      def: [() => p.def(5, 'x'), () => p.def('A'), () => p.def('A', () => 1)],
      defData: [() => p.defData(null, {}), () => p.defData('A'), () => p.defData('A', () => 1)],
      defSystem: [() => p.defSystem({}, 'x'), () => p.defSystem('s'), () => p.defSystem('s', null)],
      defMessage: [() => p.defMessage('robot', 'x'), () => p.defMessage('user'), () => p.defMessage()],
      defTool: [() => p.defTool('t', 'd', 'schema', () => 1), () => p.defTool('t', 'd', z.object({})), () => p.defTool('t', 'd', z.object({}), 5), () => p.defTool('t', 'd', [])],
      defAgent: [() => p.defAgent('t', 'd', 3, () => 1), () => p.defAgent('t', 'd', z.object({}))],
      defState: [() => p.defState(), () => p.defState(7, 1)],
      getState: [() => p.getState()],
      defEffect: [() => p.defEffect(), () => p.defEffect('x'), () => p.defEffect(() => {}, 'deps')],
      defTaskList: [() => p.defTaskList('tasks'), () => p.defTaskList(null)],
      defTaskGraph: [() => p.defTaskGraph(5)],
    };
    for (const [method, runs] of Object.entries(tries)) {
      for (const run of runs) {
        try { run(); kinds.push(`${method}: nothing`); } catch (e) {
          if (!(e instanceof TypeError) || !e.message.includes(method)) kinds.push(`${method}: ${e.name}: ${e.message}`);
        }
      }
    }
    p.$`go`;
  }, [say('ok')]);
  print(kinds);
};
