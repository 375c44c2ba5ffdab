// Lines, questions, iteration, and an edited line.
import { once } from 'node:events';
import readline, { clearLine, clearScreenDown, createInterface, cursorTo, emitKeypressEvents, moveCursor } from 'node:readline';
import * as promises from 'node:readline/promises';
import { PassThrough, Writable } from 'node:stream';
import { promisify } from 'node:util';

const show = (name, ...values) => console.log(name, JSON.stringify(values));
const sink = () => {
  const output = new Writable({ write: (chunk, _, done) => ((output.text += chunk), done()) });
  return Object.assign(output, { text: '' });
};

const lines = [];
const input = new PassThrough();
const rl = createInterface({ input, crlfDelay: Infinity });
for (const event of ['line', 'pause', 'resume', 'close']) rl.on(event, (...values) => lines.push([event, ...values]));
for (const part of ['a\nb\r', '\nc\rd', 'e\n\nzwei', ' drei ü', '\u2028x']) input.write(part);
input.end('last');
await once(rl, 'close');
show('lines', lines, rl.terminal, rl.line, rl.closed);

const read = [];
const many = new PassThrough();
many.end('1\n2\n3');
for await (const line of createInterface({ input: many })) read.push(line);
show('for await', read);

const dialogue = new PassThrough();
const output = sink();
const asked = createInterface({ input: dialogue, output, prompt: 'OHAI> ' });
show('prompt', asked.getPrompt());
asked.prompt();
setImmediate(() => dialogue.write('to a prompt\n'));
show('line', await once(asked, 'line'));
setImmediate(() => dialogue.write('Ada\n'));
show('question', await new Promise((done) => asked.question('Name? ', done)), asked.getPrompt());
setImmediate(() => dialogue.write('36\n'));
show('promisified', await promisify(asked.question).call(asked, 'Age? '));
asked.write('written\n');
asked.setPrompt('% ');
asked.prompt();
show('output', output.text);
show('pause', asked.pause() === asked, asked.paused, asked.resume() === asked, asked.paused);
asked.close();
asked.close();
try {
  asked.question('late?', () => {});
} catch (error) {
  show('closed', error.code, error.message);
}
const stop = new AbortController();
const inPromises = promises.createInterface({ input: new PassThrough(), output: sink() });
setTimeout(() => stop.abort(), 2);
show('aborted', await inPromises.question('?', { signal: stop.signal }).catch((error) => [error.name, error.code, error.message]));
inPromises.close();
show('late', await inPromises.question('?').catch((error) => error.code));
const aborting = new AbortController();
setTimeout(() => aborting.abort(), 2);
const ended = createInterface({ input: new PassThrough(), signal: aborting.signal });
await once(ended, 'close');
show('signal', ended.closed);

const keys = new PassThrough();
const pressed = [];
emitKeypressEvents(keys);
keys.on('keypress', (text, key) => pressed.push([text, key.name, key.ctrl, key.meta, key.shift, key.sequence]));
keys.write('aZ1\r\t\x7f \x03\x1b[A\x1b[1;5C\x1bOP\x1b[3~\x1b[Z\x1bx-ü');
await new Promise((done) => setTimeout(done, 5));
for (const key of pressed) show('key', ...key);

const screen = sink();
show('sequences', cursorTo(screen, 3), cursorTo(screen, 1, 2), moveCursor(screen, -2, 3), moveCursor(screen, 0, 0), clearLine(screen, -1), clearLine(screen, 1), clearLine(screen, 0), clearScreenDown(screen), screen.text);
show('callback', await new Promise((done) => cursorTo(screen, 0, done)), await new Promise((done) => moveCursor(null, 1, 1, done)));
const actions = sink();
await new promises.Readline(actions).cursorTo(1, 1).moveCursor(1, -1).clearLine(0).clearScreenDown().commit();
show('actions', actions.text);

const typed = new PassThrough();
const edited = createInterface({ input: typed, output: sink(), terminal: true, completer: (line) => [['hello', 'help'].filter((word) => word.startsWith(line)), line] });
const results = [];
edited.on('line', (line) => results.push(line));
edited.on('SIGINT', () => results.push('SIGINT'));
typed.write('abc\x7fd\r');
typed.write('one two\x17three\r');
typed.write('gone\x15kept\r');
typed.write('cut here\x1b[D\x1b[D\x1b[D\x1b[D\x0b\r');
typed.write('\x1b[A\x1b[A\x1b[B\x1b[A again\r');
typed.write('\x1b[3~x\x1b[D\x1b[3~y\r');
typed.write('äöü\x7f🙂\x7f!\r');
typed.write('\x03');
typed.write('two\nlines\n');
await new Promise((done) => setTimeout(done, 5));
const closing = once(edited, 'close');
typed.write('\x04');
await closing;
show('edited', results, edited.history);
show('names', Object.keys(readline).sort(), Object.keys(promises).filter((name) => name !== 'default').sort());
