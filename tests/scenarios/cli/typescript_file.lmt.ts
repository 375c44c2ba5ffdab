// A TypeScript prompt file runs; its types are stripped.

interface Options { name: string }
type Greeting = `Hello ${string}`;
export const config: { model: string } = { model: 'mock' };
export const mock = [{ type: 'text', text: 'typed' }] as const;
const greet = <T extends Options>(options: T): Greeting => `Hello ${options.name}`;
export default async ({ $ }: { $: (strings: TemplateStringsArray, ...values: unknown[]) => void }): Promise<void> => {
  console.log(greet({ name: 'Ann' } satisfies Options));
  $`hi`;
};
