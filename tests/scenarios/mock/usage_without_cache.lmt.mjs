// A usage without `cachedInputTokens` is that of a model without a prompt cache.
import { createMockModel } from 'lmthing/test';
import { call, say } from './helpers.mjs';

export const config = { model: createMockModel([call('look'), say('ok')], { usage: { inputTokens: 5000, outputTokens: 1 } }) };

let step = 0;
export default ({ $, defSystem, defTool }) => {
  step += 1;
  defSystem('clock', `step ${step}`);
  defTool('look', 'looks', {}, () => 'seen');
  $`go`;
};
