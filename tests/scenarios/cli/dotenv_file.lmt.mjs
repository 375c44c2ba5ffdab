// .env in the working directory is read; real variables win.

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: 'fine' }];
export default ({ $ }) => { console.log(process.env.FROM_FILE, process.env.BOTH); $`x`; };
