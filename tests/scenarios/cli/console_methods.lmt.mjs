// console.log, info and debug go to stdout as Node writes them, warn and error to stderr.

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: 'fine' }];
export default ({ $ }) => {
  console.log('text', 1, true, null, undefined);
  console.info({ a: 1, b: ['x', { c: 2 }] });
  console.debug([1, 'two', [3]]);
  console.log('%s is %d years', 'Ann', 30, 'extra');
  console.log(new Map([['k', 1]]), new Set([1]));
  console.log();
  console.warn('careful');
  console.error('bad');
  $`x`;
};
