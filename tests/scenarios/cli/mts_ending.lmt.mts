// A .lmt.mts file runs as TypeScript.

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: 'fine' }];

let n: number = 2;
export default ({ $ }: any) => { console.log(n! * 2); $`hi`; };
