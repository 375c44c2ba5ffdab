// An error of the author's own that is named ProviderError ends with code 1.

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async () => {
  const error = new Error('my own provider');
  error.name = 'ProviderError';
  throw error;
};
