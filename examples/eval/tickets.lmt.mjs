// Shows a prompt that is measured: tickets.eval.lmt.mjs asks whether more rules make it better.
// Run: lmthing run examples/eval/tickets.lmt.mjs "Please send me an invoice."
import { z } from 'zod';
import { pretendModel } from './pretend-model.mjs';

export const description = 'Decides which team answers a ticket';

export const input = z.object({
  ticket: z.string().describe('What the customer wrote'),
  rules: z.enum(['few', 'many']).default('few'),
});

export const output = z.object({ team: z.enum(['billing', 'sales', 'support']) });

// The price of a million tokens, in US dollars: the longer prompt costs more.
export const config = { model: pretendModel, prices: { 'pretend:reader': { input: 1, output: 5 } } };

const FEW = ['- refund, invoice: billing', '- price, buy: sales'];
const MANY = [
  '- refund, money back, invoice, charged, receipt, credit card: billing',
  '- price, buy, discount, upgrade, licences, trial: sales',
  '- crash, log in, password, error: support',
];

/** @type {import('lmthing').PromptFunction<typeof input>} */
export default ({ defSystem, $ }, { ticket, rules }) => {
  defSystem('role', 'You sort the tickets of customers. Name the team that answers.');
  defSystem('rules', (rules === 'many' ? MANY : FEW).join('\n'));
  $`${ticket}`;
};
