// Shows how tasks are tested: by the calls that report them, and what the model sees of them.
//
//   lmthing test examples/task-list.test.lmt.mjs

import { describe, expect, run, test } from 'lmthing/test';

test('the list follows the work', async () => {
  const answer = await run('./task-list.lmt.mjs');

  expect(answer).toHaveCalledTools(['startTask', 'completeTask', 'startTask', ['failTask', { reason: 'no paper left' }]]);
  expect(answer).toHaveSystem('Research the topic');
});

describe('the graph', () => {
  test('hands results on', async () => {
    const answer = await run('./task-graph.lmt.mjs');
    const ready = answer.toolCalls.filter(({ toolName }) => toolName === 'getUnblockedTasks');

    expect(ready.map(({ output }) => output.tasks.map(({ id }) => id))).toEqual([['flour', 'yeast'], ['dough']]);
    expect(ready[1].output.tasks[0].input_context).toContain('a cube of yeast');
  });

  test('has an order', async () => {
    const bake = { taskId: 'bake', status: 'completed', output_result: 'a loaf' };
    const { toolCalls } = await run('./task-graph.lmt.mjs', {
      mock: [{ type: 'tool-call', toolName: 'updateTaskStatus', args: bake }, { type: 'text', text: 'It is not ready.' }],
    });

    expect(JSON.stringify(toolCalls[0].output)).toContain('dough');
  });
});
