// An unknown flag is wrong usage.

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: 'fine' }];
export default () => {};
