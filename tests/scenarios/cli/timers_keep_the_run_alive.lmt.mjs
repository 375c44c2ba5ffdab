// The program waits for timers that are under way.

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: 'fine' }];
export default ({ $ }) => { setTimeout(() => console.log('late'), 30); $`x`; };
