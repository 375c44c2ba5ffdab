// Runs programs in code mode, each as the answer of a mock model, and writes what became of them.
// A line of CASES: {id, functions: [{namespace?, name, description, input, output?}], programs: [code]}.
// A line of OUT: {id, programs: [{success, errors, message, calls: [[name, arguments]]}]}.
import { createReadStream, createWriteStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { runPrompt } from 'lmthing';
import { func } from 'lmthing/plugins';
import { createMockModel } from 'lmthing/test';
import { z } from 'zod';

export const input = z.object({ cases: z.string(), out: z.string() });
export const config = { model: 'mock' };
// The file itself asks nothing; its inner prompts do.
export const mock = [{ type: 'text', text: '' }];
const AT_ONCE = 4;
// Other work on the machine must not look like a fault of a program.
const PATIENT = { checkMs: 60_000, cpuMs: 60_000 };

function define(prompt, functions, execute) {
  const namespaces = new Map();
  for (const { namespace, name, description, input, output } of functions) {
    const options = output && { responseSchema: output };
    const call = (args, execution) => execute(namespace ? `${namespace}.${name}` : name, args, execution);
    if (!namespace) {
      prompt.defFunction(name, description, input, call, options);
      continue;
    }
    if (!namespaces.has(namespace)) namespaces.set(namespace, []);
    namespaces.get(namespace).push(func(name, description, input, call, options));
  }
  for (const [namespace, members] of namespaces) prompt.defFunction(namespace, `Functions of ${namespace}.`, members);
}

async function run({ id, functions, programs }) {
  // Each program is the answer of a step of its own, so that they run one after the other.
  const items = programs.map((code, number) => (
    { type: 'tool-call', toolName: 'runToolCode', toolCallId: `${number}`, args: { code } }
  ));
  const calls = programs.map(() => []);
  const { result } = await runPrompt((prompt) => {
    define(prompt, functions, (name, args, { toolCallId }) => {
      calls[Number(toolCallId)].push([name, args]);
      return {};
    });
    prompt.$`Go.`;
  }, { model: createMockModel([...items, { type: 'text', text: 'Done.' }]), sandbox: PATIENT });
  const results = (await result.steps).flatMap((step) => step.toolResults);
  return { id, programs: results.map(({ output, error }, number) => ({ ...(output ?? { error }), calls: calls[number] })) };
}

export default async (_, { cases, out }) => {
  const lines = createInterface({ input: createReadStream(cases) })[Symbol.asyncIterator]();
  const results = createWriteStream(out);
  const work = async () => {
    for (let line = await lines.next(); !line.done; line = await lines.next()) {
      const task = JSON.parse(line.value);
      const done = await run(task).catch((error) => ({ id: task.id, failed: String(error?.message ?? error) }));
      results.write(`${JSON.stringify(done)}\n`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  await new Promise((resolve) => results.end(resolve));
};
