// lmthing exports runPrompt, StatefulPrompt, tool, agent, createPluginArray, stepCountIs and hasToolCall.

import { print } from './helpers.mjs';

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async ({ $ }) => {
  $`scenario`;
  const all = await import('lmthing');
  print(['runPrompt', 'StatefulPrompt', 'tool', 'agent', 'createPluginArray', 'stepCountIs', 'hasToolCall'].filter((n) => typeof all[n] !== 'function'));
};
