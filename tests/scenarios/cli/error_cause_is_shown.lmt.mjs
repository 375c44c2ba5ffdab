// The cause of an error is part of the message.

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: 'fine' }];
export default () => { throw new Error('could not load', { cause: new Error('disk is gone') }); };
