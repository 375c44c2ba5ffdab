// process.exit ends at once with its code; text stays.

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: 'fine' }];
export default ({ $ }) => { console.log('before'); process.exit(7); };
