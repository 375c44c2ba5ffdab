import { z } from 'zod';

export const config = { model: 'mock' };

export const mock = [{ type: 'text', text: 'Fine.' }];

const Node = z.object({
  name: z.string(),
  get kids() {
    return z.array(Node);
  },
  own: z.custom((value) => value === 1),
  day: z.date().optional(),
});

export default ({ $, defTool, defAgent, defFunction }) => {
  /** @param {() => void} define */
  const told = (define) => {
    try {
      define();
    } catch (error) {
      return console.log(`${error}`);
    }
    console.log('none');
  };
  told(() => defTool('nested', 'Looks.', z.object({ all: z.array(z.object({ at: z.file().max(3) })).optional() }), () => 1));
  told(() => defAgent('blob', 'Asks.', z.object({ it: z.union([z.string(), z.instanceof(Blob)]) }), () => {}));
  told(() => defFunction('refined', 'Runs.', z.object({ it: z.instanceof(File).refine(() => true) }), () => 1));
  told(() => defTool('plain', 'Looks.', Node, () => 1));
  $`Hi`;
};
