// A File or Blob is a part of a message at its place, and a result of a tool.

import { z } from 'zod';

export const config = { model: 'mock' };
export const mock = [{ type: 'tool-call', toolName: 'draw', args: {} }, { type: 'text', text: 'done' }];

export default ({ $, defMessage, defTool, defData, defEffect }) => {
  const dot = new File([Uint8Array.of(0x89, 0x50, 0x4e, 0x47)], 'dot.png');
  const odd = new Blob([Uint8Array.of(1, 2)]);
  defTool('draw', 'Draws.', z.object({}), () => [dot, new File(['{}'], 'a.json', { type: 'application/json' })]);
  $`A ${dot}${new Blob(['plain'])} B ${[dot, odd]} `;
  $(dot);
  defMessage('user', dot);
  defMessage('user', ['x', odd, { type: 'file', data: dot }, { type: 'image', image: dot.slice() }, new File(['# é'], 'é "1".md')]);
  $`${['no file']} ${{ name: 'dot' }}`;
  const calls = [() => $`${[dot, 'x']}`, () => $`${{ dot }}`, () => $(/** @type {any} */ ([dot, 'x'])), () => defData('D', dot), () => defMessage('system', dot)];
  const lost = calls.map((call) => {
    try {
      return call();
    } catch (error) {
      return /** @type {Error} */ (error).message.slice(0, 40);
    }
  });
  defEffect(({ messages }) => {
    for (const { role, content } of messages) console.log(role, JSON.stringify(content));
    console.log(lost.join('\n'));
  }, []);
};
