// Shows the smallest prompt file: a variable, a message, and a scripted model in place of a real one.
//
//   lmthing run examples/mock-demo.lmt.mjs

export const config = { model: 'mock' };

export const mock = [
  { type: 'text', text: 'Hello, World! ' },
  { type: 'text', text: 'This text comes from the mock array of the prompt file.' },
];

/** @type {import('lmthing').PromptFunction} */
export default async ({ def, defSystem, $ }) => {
  defSystem('role', 'You are a friendly assistant.');
  const name = def('NAME', 'World');
  $`Say hello to ${name}.`;
};
