// A prompt: what is said to the model. What it answers is printed as it comes.
//
//   lmthing run hello.lmt.mjs
//   lmthing run -m openai:gpt-6.1-sol hello.lmt.mjs    a real model; needs OPENAI_API_KEY, in the environment or in .env

// 'mock' plays the answer below, without a key or a network. `lmthing models` lists the real ones.
export const config = { model: 'mock' };

// Each text is a piece of the stream.
export const mock = [
  { type: 'text', text: 'Good morning, Ada! ' },
  { type: 'text', text: 'What are we going to compute today?' },
];

/** @type {import('lmthing').PromptFunction} */
export default async ({ def, defSystem, $ }) => {
  // A section of the system prompt.
  defSystem('style', 'You are cheerful and brief.');

  // A variable. In texts it stands as its tag, <NAME>; the system prompt says what it is.
  const name = def('NAME', 'Ada');

  // What the user says.
  $`Greet ${name} and ask a question.`;
};
