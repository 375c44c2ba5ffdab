// Shows defTaskList: a list of tasks the model works through with the tools startTask, completeTask and failTask. Every
// step's system prompt shows where the tasks stand, and the state `taskList` holds them for your own code.
//
//   lmthing run examples/task-list.lmt.mjs

export const config = { model: 'mock' };

export const mock = [
  { type: 'tool-call', toolCallId: 'call_1', toolName: 'startTask', args: { taskId: 'research' } },
  { type: 'tool-call', toolCallId: 'call_2', toolName: 'completeTask', args: { taskId: 'research' } },
  { type: 'tool-call', toolCallId: 'call_3', toolName: 'startTask', args: { taskId: 'write' } },
  { type: 'tool-call', toolCallId: 'call_4', toolName: 'failTask', args: { taskId: 'write', reason: 'no paper left' } },
  { type: 'text', text: 'The research is done; the writing failed for lack of paper.' },
];

/** @type {import('lmthing').PromptFunction} */
export default async ({ defTaskList, defEffect, $ }) => {
  const [tasks] = defTaskList([
    { id: 'research', name: 'Research the topic', status: 'pending' },
    { id: 'write', name: 'Write the text', status: 'pending' },
  ]);

  defEffect(({ stepNumber }) => {
    console.log(`step ${stepNumber}: ${tasks.map(({ id, status }) => `${id} ${status}`).join(', ')}`);
  });

  $`Work through the tasks.`;
};
