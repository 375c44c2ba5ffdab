// A thrown string is shown too.

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: 'fine' }];
export default () => { throw 'plain words'; };
