// `node:sys`: the deprecated name of `node:util`.
export * from 'node:util';
export { default } from 'node:util';
