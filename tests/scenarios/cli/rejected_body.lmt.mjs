// A rejected async body is an error like a thrown one.

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: 'fine' }];
export default async () => { await Promise.reject(new Error('late refusal')); };
