// process offers env, argv and cwd.

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: 'fine' }];
export default ({ $ }) => { console.log(process.env.FLAVOUR, process.argv[2] ?? 'none', typeof process.cwd(), process.argv.length >= 2); $`x`; };
