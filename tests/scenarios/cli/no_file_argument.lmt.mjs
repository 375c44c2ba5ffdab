// Without a file the usage is shown and the exit code is 2.

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: 'fine' }];
export default () => {};
