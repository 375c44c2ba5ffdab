// A model of a few lines, so that the example needs no key. It looks in the system
// prompt for rules such as "- refund, money back: billing", and follows the first with words of the ticket.

const RULE = /^- (?<words>.+): (?<team>\w+)$/gm;

const textOf = (messages) =>
  messages.map(({ content }) => (typeof content === 'string' ? content : content.map(({ text }) => text).join('')));

function answer(prompt) {
  const system = textOf(prompt.filter(({ role }) => role === 'system')).join('\n');
  const ticket = textOf(prompt.filter(({ role }) => role === 'user')).join('\n').toLowerCase();
  const rules = [...system.matchAll(RULE)].map(({ groups }) => groups);
  const rule = rules.find(({ words }) => words.split(', ').some((word) => ticket.includes(word)));
  return { team: rule?.team ?? 'support' };
}

/** A model object, as the providers of the AI SDK make them. */
export const pretendModel = {
  specificationVersion: 'v2',
  provider: 'pretend',
  modelId: 'reader',
  supportedUrls: {},
  async doStream({ prompt }) {
    const inputTokens = Math.ceil(textOf(prompt).join('').length / 4);
    const parts = [
      { type: 'stream-start', warnings: [] },
      { type: 'text-start', id: '1' },
      { type: 'text-delta', id: '1', delta: JSON.stringify(answer(prompt)) },
      { type: 'text-end', id: '1' },
      { type: 'finish', finishReason: 'stop', usage: { inputTokens, outputTokens: 6, totalTokens: inputTokens + 6 } },
    ];
    return { stream: ReadableStream.from(parts) };
  },
};
