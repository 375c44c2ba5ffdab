// The real zod, bundled whole: prompt files import it as they would from npm.
export * from 'zod';
export { default } from 'zod';
