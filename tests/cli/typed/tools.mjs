import { agent, runPrompt, tool } from 'lmthing';
import { func, funcAgent } from 'lmthing/plugins';
import { createMockModel } from 'lmthing/test';
import { z } from 'zod';

const City = z.object({ city: z.string(), days: z.number().default(1) });
const model = createMockModel([{ type: 'text', text: 'Rain.' }]);

/** @type {import('lmthing').PromptFunctionOf} */
export default async ({ defTool, defAgent, defFunction, defFunctionAgent, defMethod, def, $ }) => {
  defTool('weather', 'Says.', City, ({ city, days }, { toolCallId, messages }) => [city.trim(), days.toFixed(), toolCallId.length, messages.length]);
  defTool('town', 'Says.', City, ({ town }) => town); //~ TS2339
  defTool('call', 'Says.', City, (args, { toolCalId }) => toolCalId); //~ TS2339
  defTool('back', 'Says.', City, ({ city }) => city, { onSuccess: ({ cty }, output) => output.any + cty }); //~ TS2339
  defTool('option', 'Says.', City, ({ city }) => city, { onSucces: () => 1 }); //~ TS2561
  defTool('json', 'Says.', { type: 'object', properties: { a: { type: 'string' } } }, ({ a, b }) => a.anything + b);
  defTool('empty', 'Says.', {}, (args) => args.anything);
  defTool('many', 'Says.', [
    tool('one', 'Says.', City, ({ city }) => city.trim()),
    tool('two', 'Says.', City, ({ ciity }) => ciity), //~ TS2339
    agent('three', 'Asks.', City, ({ city }) => city), //~ TS2322
  ]);
  defTool('none', 'Says.'); //~ TS2554
  defTool('unsaid', City, ({ city }) => city); //~ TS2345

  defAgent('ask', 'Asks.', City, ({ city }, child) => child.def('CITY', city).remind(), { system: 'Be kind.', model });
  defAgent('typo', 'Asks.', City, ({ city }, child) => child.dfe('CITY', city)); //~ TS2339
  defAgent('all', 'Asks.', City, ({ city }, { def, $: ask }) => ask`${def('CITY', city)}`, { tempreture: 1 }); //~ TS2561
  defAgent('team', 'Asks.', [agent('one', 'Asks.', City, ({ city }, { $: ask }) => ask`${city.trim()}`)]);
  defAgent('wide', 'Asks.', City, (args, child) => child.defOwn(), { plugins: [{ defOwn() {} }] });

  defFunction('area', 'Computes.', z.object({ w: z.number() }), ({ w }) => w.toFixed(), { responseSchema: z.string() });
  defFunction('maths', 'Computes.', [func('half', 'Halves.', z.object({ n: z.number() }), ({ n }) => n.half)]); //~ TS2339
  defFunctionAgent('people', 'Asks.', [funcAgent('ada', 'Asks.', City, ({ city }, child) => child.$`${city.trim()}`)]);
  defMethod('now', 'Says.', z.object({}), () => 'noon', z.string());

  const { result, prompt } = await runPrompt(({ $: ask }) => ask`Sum it up.`, { model, output: City });
  (await result.output).city.trim();
  (await result.text).tirm(); //~ TS2339
  prompt.steps[0].output.content.map((part) => part.text ?? part.toolName);
  prompt.steps[0].output.content.map((part) => part.txt); //~ TS2551
  await runPrompt(({ $: ask }) => ask`Sum it up.`, { model, outptu: City }); //~ TS2769
  const greeting = def('GREETING', 'hello');
  greeting.remind();
  greeting(); //~ TS2349
  greeting.rmind(); //~ TS2551
  $`${greeting} and ${greeting.value}`;
};

const own = { defOwn() {} };
/** @param {import('lmthing').PromptWith<{}>} prompt */
export const plugins = async ({ defAgent }) => {
  defAgent('own', 'Asks.', City, (args, child) => [child.defOwn(), child.defOther], { plugins: [own] }); //~ TS2339
  defAgent('inline', 'Asks.', City, (args, child) => child.defInline('a'), { plugins: [{ defInline(text) { this.def('A', text); } }] });
  await runPrompt(({ defInline }) => defInline('a'), { model, plugins: [{ defInline(text) { this.def('A', text); } }] });
  await runPrompt(({ defOwn, defOther }) => [defOwn(), defOther], { model, plugins: [own], options: { onFinish: (end) => end.text } }); //~ TS2339
};
