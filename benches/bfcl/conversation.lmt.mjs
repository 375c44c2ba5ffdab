// Holds conversations with a model at a local server, which plays the reference answers.
// A line of CASES: {id, asCode, promptBytes, functions: [{name, description, input, output?}], added: {TURN: [function]},
// turns: [text], results: [[name, result]]}. A line of OUT: {id, left}, the number of results that were not asked for.
import { createReadStream, createWriteStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { createOpenAICompatible, runPrompt } from 'lmthing';
import { z } from 'zod';

export const input = z.object({ cases: z.string(), out: z.string(), url: z.string() });
export const config = { model: 'mock' };
// The file itself asks nothing; its inner prompts do.
export const mock = [{ type: 'text', text: '' }];
const AT_ONCE = 4;
// Other work on the machine must not look like a fault of a program.
const PATIENT = { checkMs: 60_000, cpuMs: 60_000 };

async function converse(provider, { id, asCode, promptBytes, functions, added, turns, results }) {
  const left = [...results];
  const defined = [...functions];
  const define = (methods, { name, description, input, output }) => {
    const execute = () => {
      const [expected, result] = left.shift() ?? [];
      if (expected !== name) throw new Error(`${name} was called in place of ${expected}`);
      return result;
    };
    const options = output && { responseSchema: output };
    if (asCode) methods.defFunction(name, description, input, execute, options);
    else methods.defTool(name, description, input, execute, options);
  };
  let prompt;
  for (const [number, text] of turns.entries()) {
    defined.push(...(added[number] ?? []));
    if (prompt) {
      // The function runs again only after the first step of the turn.
      added[number]?.forEach((each) => define(prompt, each));
      prompt.defMessage('user', text);
      await prompt.run().text;
      continue;
    }
    const first = await runPrompt((methods) => {
      defined.forEach((each) => define(methods, each));
      methods.defMessage('user', text);
    }, { model: provider(id), functions: { promptBytes }, sandbox: PATIENT });
    await first.result.text;
    prompt = first.prompt;
  }
  return { id, left: left.length };
}

export default async (_, { cases, out, url }) => {
  const provider = createOpenAICompatible({ name: 'reference', baseURL: url, apiKey: 'none' });
  const lines = createInterface({ input: createReadStream(cases) })[Symbol.asyncIterator]();
  const results = createWriteStream(out);
  const work = async () => {
    for (let line = await lines.next(); !line.done; line = await lines.next()) {
      const task = JSON.parse(line.value);
      const done = await converse(provider, task).catch((error) => ({ id: task.id, failed: String(error?.message ?? error) }));
      results.write(`${JSON.stringify(done)}\n`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  await new Promise((resolve) => results.end(resolve));
};
