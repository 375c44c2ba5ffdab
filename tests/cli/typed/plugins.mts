import type { Config, Plugin, Prompt, PromptFunctionOf } from 'lmthing';

const counter = {
  defCounter(this: Prompt, name: string, start = 0) {
    const [count, setCount] = this.defState(name, start);
    this.defSystm('count', `${count}`); //~ TS2551
    return { count, more: () => setCount((before) => before + 1) };
  },
};
const open: Plugin = { defOpen(text: string) { return this.def('TEXT', text); } };

const config = { model: ['openai:gpt-4o', 'mock'], plugins: [counter, open] } satisfies Config;
export const first: PromptFunctionOf<typeof config> = ({ defCounter, defOpen }) => {
  const { count, more } = defCounter('visits');
  defCounter(5); //~ TS2345
  more();
  return [count.toFixed(), defOpen('x')];
};

const annotated: Config = { model: 'mock', plugins: [counter] };
export const second: PromptFunctionOf<typeof annotated> = ({ defCounter, def }) => [defCounter('visits'), def('A', 1).value];
