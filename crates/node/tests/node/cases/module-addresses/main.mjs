// Modules by address: data URLs, addresses of files that are not there, built-in names.
import module, { builtinModules, createRequire } from "node:module";

const t = (name, fn) => {
  const told = (error) => [error?.name, error?.code, error?.message];
  const say = (value) => console.log(`${name}:`, typeof value === "string" ? value : JSON.stringify(value, (_, x) => (typeof x === "bigint" ? `${x}n` : x)));
  let value;
  try {
    value = fn();
  } catch (error) {
    return say(told(error));
  }
  return typeof value?.then === "function" ? value.then(say, (error) => say(told(error))) : say(value);
};
await t('script', async () => {
  const { default: first, second } = await import('data:text/javascript,import path from "node:path"; export default path.join("a", "b"); export const second = import.meta.url.slice(0, 20)');
  return [first, second];
});
await t('base64', async () => (await import(`data:text/javascript;base64,${btoa('export default 6 * 7')}`)).default);
await t('json', async () => (await import('data:application/json,{"a":[1]}', { with: { type: 'json' } })).default);
await t('type', () => import('data:text/html,x').catch((error) => error.code));
t('no file', () => import.meta.resolve('./none.mjs').endsWith('/none.mjs'));
t('no built-in', () => createRequire(import.meta.url)('node:nothing'));
await t('none', () => import('node:nothing').catch((error) => error.code));
t('names', () => [builtinModules.includes('fs'), builtinModules.includes('node:fs'), builtinModules.includes('fs/promises')]);
t('wrap', () => module.wrap('x'));
await t('import map', () => import('#nothing').catch((error) => [error.name, error.code]));
t('call site', () => {
  const { prepareStackTrace } = Error;
  Error.prepareStackTrace = (_error, sites) => sites.map(String);
  const [site] = (function named() {
    return new Error('x').stack;
  })();
  Error.prepareStackTrace = prepareStackTrace;
  return /^named \(.*main\.mjs:\d+:\d+\)$/.test(site);
});
