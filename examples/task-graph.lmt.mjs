// Shows defTaskGraph: tasks that depend on each other. A task is ready when everything it depends on is completed; the
// result of a finished task is handed to all tasks downstream of it. The model asks for ready tasks with
// getUnblockedTasks, reports with updateTaskStatus, and can add tasks (spawnTask), split one (forkTask) or ask a human.
//
//   lmthing run examples/task-graph.lmt.mjs

export const config = { model: 'mock' };

const update = (id, status, output_result) => ({
  type: 'tool-call',
  toolCallId: `${id}_${status}`,
  toolName: 'updateTaskStatus',
  args: { taskId: id, status, output_result },
});

export const mock = [
  { type: 'tool-call', toolCallId: 'ready_1', toolName: 'getUnblockedTasks', args: {} },
  update('flour', 'completed', '500 g of flour'),
  update('yeast', 'completed', 'a cube of yeast'),
  { type: 'tool-call', toolCallId: 'ready_2', toolName: 'getUnblockedTasks', args: {} },
  update('dough', 'in_progress'),
  update('dough', 'completed', 'a ball of dough'),
  update('bake', 'completed', 'a loaf'),
  { type: 'text', text: 'The bread is ready.' },
];

/** @type {import('lmthing').PromptFunction} */
export default async ({ defTaskGraph, defEffect, $ }) => {
  const [graph] = defTaskGraph([
    { id: 'flour', title: 'Buy flour' },
    { id: 'yeast', title: 'Buy yeast' },
    { id: 'dough', title: 'Make the dough', dependencies: ['flour', 'yeast'] },
    { id: 'bake', title: 'Bake', dependencies: ['dough'] },
  ]);

  defEffect(({ lastTool }) => {
    if (lastTool?.toolName !== 'getUnblockedTasks') return;
    for (const { id, input_context } of lastTool.output.tasks) {
      console.log(`ready: ${id}${input_context ? `, knowing ${JSON.stringify(input_context)}` : ''}`);
    }
  });
  defEffect(() => {
    if (graph.every(({ status }) => status === 'completed')) console.log('all tasks are completed');
  });

  $`Bake a bread.`;
};
