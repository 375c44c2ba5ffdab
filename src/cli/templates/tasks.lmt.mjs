// A list of tasks that the model works through with the tools startTask, completeTask and failTask. Where they stand is
// in the system prompt of every step.
//
//   lmthing run tasks.lmt.mjs
//   lmthing run -m openai:gpt-6.1-sol tasks.lmt.mjs    a real model; needs OPENAI_API_KEY, in the environment or in .env

// 'mock' plays the answers below, without a key or a network. `lmthing models` lists the real ones.
export const config = { model: 'mock' };

// A tool call ends the model's turn; what follows is its next one.
export const mock = [
  { type: 'tool-call', toolName: 'startTask', args: { taskId: 'outline' } },
  { type: 'tool-call', toolName: 'completeTask', args: { taskId: 'outline' } },
  { type: 'tool-call', toolName: 'startTask', args: { taskId: 'draft' } },
  { type: 'text', text: 'Tea came to Europe in 1610, by way of Amsterdam.\n' },
  { type: 'tool-call', toolName: 'completeTask', args: { taskId: 'draft' } },
  { type: 'text', text: 'Both tasks are done.' },
];

/** @type {import('lmthing').PromptFunction} */
export default async ({ defTaskList, defEffect, $ }) => {
  // The function runs again before every step: `tasks` is how they stand then.
  const [tasks] = defTaskList([
    { id: 'outline', name: 'Think of an outline' },
    { id: 'draft', name: 'Write the text' },
  ]);

  // Runs before every step. With [] behind the function it would run once.
  defEffect(({ stepNumber }) => {
    console.error(`step ${stepNumber}: ${tasks.map(({ id, status }) => `${id} ${status}`).join(', ')}`);
  });

  $`Write a short text about the history of tea. Work through your tasks.`;
};
