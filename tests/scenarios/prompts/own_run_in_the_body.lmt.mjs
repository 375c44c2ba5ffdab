// A prompt function that runs its own prompt gets a TypeError, and no second run continues in the background.

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async (prompt) => {
  prompt.defEffect(() => { console.log('effect'); });
  prompt.$`scenario`;
  try { prompt.run(); } catch (error) { console.log(error.name, error.message); }
};
