// An answer that its provider broke off is no success, even after text.

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: 'half' }, { type: 'finish', finishReason: 'error' }];

export default async ({ $ }) => {
  $`go`;
};
