// `RegExp.$1` and the other static properties about the last match, which QuickJS does not have. Recording costs time
// at each match, so the loader loads this module with the first file that reads one of them.
const { exec } = RegExp.prototype;
const { apply } = Reflect;
let last;

function recordingExec(text) {
  const match = apply(exec, this, [text]);
  if (match !== null) last = match;
  return match;
}
Object.defineProperty(recordingExec, 'name', { value: 'exec' });
Object.defineProperty(RegExp.prototype, 'exec', { value: recordingExec, writable: true, configurable: true });

const PROPERTIES = {
  input: ({ input }) => input,
  lastMatch: (match) => match[0],
  lastParen: (match) => (match.length > 1 ? match[match.length - 1] : ''),
  leftContext: ({ input, index }) => input.slice(0, index),
  rightContext: ({ input, index, 0: { length } }) => input.slice(index + length),
};
const SHORT = { $_: 'input', '$&': 'lastMatch', '$+': 'lastParen', '$`': 'leftContext', "$'": 'rightContext' };
for (const [name, long] of Object.entries(SHORT)) PROPERTIES[name] = PROPERTIES[long];
for (let group = 1; group < 10; group++) PROPERTIES[`$${group}`] = (match) => match[group];
for (const [name, read] of Object.entries(PROPERTIES)) {
  Object.defineProperty(RegExp, name, { get: () => (last && read(last)) ?? '', set() {}, configurable: true });
}
