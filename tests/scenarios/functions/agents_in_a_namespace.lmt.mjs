// Function agents in a namespace are called by their names there, each with its own schema; they run side by side.

import { funcAgent } from 'lmthing/plugins';
import { createMockModel } from 'lmthing/test';
import { z } from 'zod';
import { print, runCode, say } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const log = [];
  const answering = (text, delay) => createMockModel([say(text)], { delay });
  const agent = (name, model, responseSchema) => funcAgent(name, `Does ${name}`, z.object({ topic: z.string() }), ({ topic }, child) => {
    log.push(`start ${name} ${topic}`);
    child.defEffect(() => () => { log.push(`end ${name}`); }, []);
    child.$`${topic}`;
  }, { model, responseSchema });
  const { result } = await runCode(({ defFunctionAgent }) => defFunctionAgent('team', 'The team', [
    agent('research', answering('{"facts": ["wet"]}', 80), z.object({ facts: z.array(z.string()) })),
    agent('judge', answering('{"score": 7}', 1), z.object({ score: z.number() })),
  ]), [
    'const [found, judged] = await Promise.all([team.research({ topic: "sea" }), team.judge({ topic: "sky" })]);',
    'return found.facts.join() + judged.score.toFixed(1);',
  ]);
  print([result, log]);
};
