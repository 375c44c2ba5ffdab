// about: look for names of Node, browsers and QuickJS
// expect: ok
// value: "nothing"

const found: string[] = [];
const look = (name: string, make: () => any): void => {
  try {
    const value: unknown = make();
    if (value !== undefined && value !== null && value !== '') found.push('BRE' + 'ACH ' + name);
  } catch {
    // refused
  }
};
const g: any = globalThis;
for (const name of ['process', 'require', 'module', 'Deno', 'Bun', 'std', 'os', 'bjson', 'print', 'scriptArgs', 'fetch', 'XMLHttpRequest', 'WebSocket', 'setTimeout', 'setInterval', 'queueMicrotask', 'structuredClone', 'navigator', 'window', 'self', 'global', 'gc', 'load', 'loadScript', 'Worker', '__dirname', 'exports', 'performance', 'crypto', 'URL', 'TextEncoder', 'atob', 'runToolCode']) {
  look(name, () => g[name]);
}
return found.length === 0 ? 'nothing' : found.join();
