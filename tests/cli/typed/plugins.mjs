import { StatefulPrompt, createPluginArray, runPrompt } from 'lmthing';
import { builtinPlugins, taskGraphPlugin, taskListPlugin } from 'lmthing/plugins';

const diary = {
  defDiary(owner) {
    const [entries] = this.defState('diary', []);
    this.defSystem('diary', `${owner}: ${entries.length}`);
    return entries;
  },
};
const glossary = {
  /** @param {Record<string, string>} words */
  defGlossary(words) { return Object.keys(words); },
};
const both = { ...diary, ...glossary };
/** @type {import('lmthing').Plugin} */
const open = { defShout(text) { this.def('SHOUT', text); } };

/** @satisfies {import('lmthing').Config} */
const none = { model: 'mock' };
/** @type {import('lmthing').PromptFunctionOf<typeof none>} */
export const first = ({ defDiary }) => defDiary; //~ TS2339

/** @satisfies {import('lmthing').Config} */
const listed = { model: 'mock', plugins: [diary, glossary, both, taskListPlugin, taskGraphPlugin] };
/** @type {import('lmthing').PromptFunctionOf<typeof listed>} */
export const second = ({ defDiary, defGlossary, defTaskList, defAgent, defStaet, $ }) => { //~ TS2339
  defDiary('Ada').anything;
  defGlossary({ luff: 'a part of a sail' }).join();
  defGlossary(7); //~ TS2345
  defTaskList([{ id: 'a', name: 'Hello', status: 'done' }]); //~ TS2322
  defAgent('ask', 'Asks.', {}, (args, child) => [child.defDiary('Bob'), child.defDairy('Bob')]); //~ TS2551
  $`go`;
};

/** @satisfies {import('lmthing').Config} */
const unknown = { model: 'mock', plugins: [open, glossary] };
/** @type {import('lmthing').PromptFunctionOf<typeof unknown>} */
export const third = ({ defShout, defGlossary, $ }) => $`${defShout('hello')} ${defGlossary({}).length}`;

/** @satisfies {import('lmthing').Config} */
const made = { model: 'mock', plugins: createPluginArray(...builtinPlugins, [glossary]) };
/** @type {import('lmthing').PromptFunctionOf<typeof made>} */
export const fourth = ({ defGlossary, defDiary }) => [defGlossary({}), defDiary]; //~ TS2339

/** @satisfies {import('lmthing').Config} */
export const wrong = { model: 'mock', plugins: diary }; //~ TS2322

export const inner = async () => {
  const { prompt } = await runPrompt(({ defGlossary, $ }) => $`${defGlossary({}).length}`, { model: 'mock', plugins: [glossary] });
  prompt.defGlossary({}).join();
  await runPrompt(({ defGlossary }) => defGlossary, { model: 'mock' }); //~ TS2339
};

createPluginArray({ defThis(text) { this.def('A', text); } }, [{ defThat() { this.defSystm('A', 'a'); } }]);
export const stateful = new StatefulPrompt('mock').setPlugins([{ defThis(text) { this.def('A', text); } }]).defThis('a');
export const given = new StatefulPrompt('mock').setPlugins([diary]);
given.defDiary('Ada');
given.defDairy('Ada'); //~ TS2551
