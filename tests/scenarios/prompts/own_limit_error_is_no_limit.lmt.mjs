// An error of the author's own that is named LimitError ends with code 1.

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async () => {
  throw Object.assign(new Error('my own limit'), { name: 'LimitError' });
};
