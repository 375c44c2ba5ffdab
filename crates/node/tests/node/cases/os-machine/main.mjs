// The machine, as far as both see the same.
import os from "node:os";

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
t('networks', () => os.networkInterfaces().lo);
t('processors', () => [os.cpus().length, os.cpus()[0].model, Object.keys(os.cpus()[0].times)]);
t('priority', () => [os.getPriority(), os.setPriority(0, os.getPriority())]);
t('priority range', () => os.setPriority(5, 100));
t('priority type', () => os.getPriority('x'));
t('constants', () => [Object.keys(os.constants), os.constants.UV_UDP_REUSEADDR, os.constants.dlopen]);
t('text', () => [`${os.arch}`, `${os.endianness}`]);
t('bytes', () => os.userInfo({ encoding: 'buffer' }).username.length > 0);
