// about: import a module by a computed name
// expect: ok
// value: 0

const names = ['fs', 'node:fs', 'std', 'os', 'qjs:std', './code.ts', 'code.ts', '/etc/passwd', 'file:///etc/passwd', 'data:text/javascript,export default 1', ''];
const opened: string[] = [];
for (const name of names) {
  try { await import(name); opened.push('BRE' + 'ACH ' + name); } catch { /* refused */ }
}
return opened.length;
