import { createMockModel } from 'lmthing/test';
const model = createMockModel([{ type: 'text', text: 'a' }, { type: 'tool-call', toolName: 'look', args: { x: 1 } }, { type: 'text', text: 'done' }]);
export const config = { model };
export default async (prompt) => {
  prompt.defTool('look', 'Looks.', { type: 'object', properties: { x: { type: 'number' } } }, () => 'seen');
  prompt.defEffect(() => {
    if (prompt.steps.length === 0) return;
    const steps = prompt['full' + 'Steps'];
    console.error(JSON.stringify(steps[0].output.map((part) => [part.type, part.delta ?? part.input ?? part.finishReason ?? ''])));
  });
  prompt.$`Look.`;
};
