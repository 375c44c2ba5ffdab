// The zod that is built into lmthing, for projects without a package `zod`. TypeScript looks at names with a `*` last:
// where there is a package, it counts. The patterns match no other names that are in use.

declare module 'zo*d' {
  export * from 'lmthing/types/zod';
  export { default } from 'lmthing/types/zod';
}
declare module 'zod/v*4' {
  export * from 'lmthing/types/zod';
  export { default } from 'lmthing/types/zod';
}
declare module 'zod/*locales' {
  export * from 'lmthing/types/zod/v4/locales';
}

// As in browsers, and in `lmthing check`: @types/node says `unknown`.
interface Response {
  json(): Promise<any>;
}
interface Request {
  json(): Promise<any>;
}
