// Shows a prompt file for a real model. Needs OPENAI_API_KEY in the environment or in .env.
//
//   lmthing run examples/hello.lmt.mjs

export const config = {
  model: 'openai:gpt-6-luna',
  options: { reasoning: 'off', temperature: 0.7, maxOutputTokens: 200 },
};

export default async ({ def, defSystem, $ }) => {
  defSystem('role', 'You are a friendly assistant who answers in one sentence.');
  const name = def('NAME', process.env.USER ?? 'World');
  $`Say hello to ${name} and wish them a good day.`;
};
