// Shows an eval: two variants of a prompt over thirty tickets, and what has changed since the baseline.
// Run: lmthing eval examples/eval/tickets.eval.lmt.mjs --baseline examples/eval/baseline.jsonl

export const file = './tickets.lmt.mjs';

// The columns `ticket` and `team`: the first is the input of the prompt, the second is for the scores.
export const rows = './tickets.csv';

export const variants = {
  few: {},
  many: { input: { rules: 'many' } },
};

export const scores = {
  right: ({ output, row }) => output.team === row.team,

  // Support passes a ticket on; any other wrong team leaves it unanswered.
  helpful: ({ output, row }) => {
    if (output.team === row.team) return 1;
    return output.team === 'support' ? { score: 0.5, reason: `support passes it on to ${row.team}` } : 0;
  },
};
