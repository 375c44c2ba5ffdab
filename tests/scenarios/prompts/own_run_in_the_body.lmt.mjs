// A prompt function that runs its own prompt is told that lmthing does so.

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async (prompt) => {
  prompt.$`scenario`;
  await prompt.run().text;
};
