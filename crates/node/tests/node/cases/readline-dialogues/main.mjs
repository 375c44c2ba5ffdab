// Lines, questions and an edited line; the terminal is one that cannot move its cursor.
const show = (name, value) =>
  console.log(JSON.stringify({ [name]: value }, (k, v) => (typeof v === 'bigint' ? `${v}n` : v === undefined ? '__undef' : v)));
const err = (e) => [e.name, e.code, e.errno, e.syscall, e.path?.replace?.(process.cwd(), 'CWD'), e.dest, e.message.replaceAll(process.cwd(), 'CWD')];
const t = async (name, fn) => {
  try {
    show(name, await fn());
  } catch (e) {
    show(name + ' !', err(e));
  }
};
const sleep = (ms) => new Promise((d) => setTimeout(d, ms));
import readline from 'node:readline';
import rlp from 'node:readline/promises';
import { Readable, PassThrough, Writable } from 'node:stream';
import { once } from 'node:events';
import fs from 'node:fs';
const outp = () => {
  const w = new Writable({
    write(c, e, d) {
      w.s += c;
      d();
    },
  });
  w.s = '';
  return w;
};
await t('crlf', async () => {
  const rl = readline.createInterface({ input: Readable.from(['a\r', '\nb\rc\n\n', 'd\u2028e', '\nlast']), crlfDelay: Infinity });
  const l = [];
  for await (const x of rl) l.push(x);
  return l;
});
await t('events', async () => {
  const input = new PassThrough();
  const output = outp();
  const rl = readline.createInterface({ input, output, prompt: '>> ' });
  const ev = [];
  rl.on('line', (l) => {
    ev.push(['line', l]);
    if (l === 'quit') rl.close();
    else rl.prompt();
  });
  for (const e of ['close', 'pause', 'resume', 'SIGINT', 'history']) rl.on(e, () => ev.push(e));
  rl.prompt();
  input.write('one\ntwo\n');
  await sleep(10);
  rl.pause();
  rl.resume();
  input.write('quit\nmore\n');
  await sleep(10);
  return [ev, output.s, rl.getPrompt(), rl.closed];
});
await t('question cb', async () => {
  const input = new PassThrough();
  const output = outp();
  const rl = readline.createInterface({ input, output });
  const p = new Promise((d) => rl.question('Q? ', (a) => rl.question('R? ', (b) => d([a, b]))));
  input.write('x\ny\n');
  const r = await p;
  rl.close();
  return [r, output.s];
});
await t('question opts', async () => {
  const input = new PassThrough();
  const rl = readline.createInterface({ input, output: outp() });
  const ac = new AbortController();
  rl.question('Q', { signal: ac.signal }, () => show('never', 1));
  ac.abort();
  rl.close();
  rl.question('after', () => {});
});
await t('write', async () => {
  const input = new PassThrough();
  const output = outp();
  const rl = readline.createInterface({ input, output });
  const p = once(rl, 'line');
  rl.write('typed\n');
  return [await p, rl.close(), output.s];
});
await t('write closed', async () => {
  const rl = readline.createInterface({ input: new PassThrough() });
  rl.close();
  rl.write('x');
});
await t('prompt closed', async () => {
  const rl = readline.createInterface({ input: new PassThrough() });
  rl.close();
  rl.prompt();
});
await t('pause closed', async () => {
  const rl = readline.createInterface({ input: new PassThrough() });
  rl.close();
  rl.pause();
});
await t('double close', async () => {
  const rl = readline.createInterface({ input: new PassThrough() });
  rl.close();
  rl.close();
  return rl.closed;
});
await t('setPrompt', async () => {
  const rl = readline.createInterface({ input: new PassThrough() });
  rl.setPrompt('a> ');
  const r = rl.getPrompt();
  rl.close();
  return r;
});
await t('terminal', async () => {
  const input = new PassThrough();
  const output = outp();
  const rl = readline.createInterface({ input, output, terminal: true, prompt: '$ ' });
  rl.prompt();
  const p = once(rl, 'line');
  input.write('abx\u007fc\r');
  const l = await p;
  const pos = rl.getCursorPos().cols;
  rl.close();
  return [l, pos, output.s, rl.history];
});
await t('completer', async () => {
  const input = new PassThrough();
  const output = outp();
  const rl = readline.createInterface({
    input,
    output,
    terminal: true,
    completer: (line) => [['help', 'hello', 'exit'].filter((c) => c.startsWith(line)), line],
  });
  const p = once(rl, 'line');
  input.write('ex');
  await sleep(5);
  input.write('\t');
  await sleep(20);
  input.write('\r');
  const l = await p;
  rl.close();
  return l;
});
await t('history', async () => {
  const input = new PassThrough();
  const rl = readline.createInterface({ input, output: outp(), terminal: true, history: ['z'], historySize: 3, removeHistoryDuplicates: true });
  const seen = [];
  rl.on('history', (h) => seen.push([...h]));
  for (const x of ['a', 'b', 'a', 'c']) {
    input.write(x + '\r');
    await sleep(5);
  }
  const p = once(rl, 'line');
  input.write('\u001b[A\u001b[A\r');
  const l = await p;
  rl.close();
  return [seen, l];
});
await t('cursorTo', () => {
  const o = outp();
  const r = [
    readline.cursorTo(o, 1, 2),
    readline.cursorTo(o, 3),
    readline.moveCursor(o, -1, 1),
    readline.clearLine(o, 0),
    readline.clearLine(o, -1),
    readline.clearScreenDown(o),
  ];
  return [r, o.s];
});
await t('Readline', async () => {
  const o = outp();
  const r = new rlp.Readline(o);
  await r.cursorTo(0, 0).clearLine(1).moveCursor(2, 0).clearScreenDown().commit();
  return o.s;
});
await t('keypress', async () => {
  const input = new PassThrough();
  readline.emitKeypressEvents(input);
  const k = [];
  input.on('keypress', (s, key) => k.push([s, key.name, key.ctrl, key.shift, key.meta, key.sequence]));
  input.write('aB\u0003\u001b[A\r\u001bq');
  await sleep(10);
  return k;
});
await t('p iterate', async () => {
  fs.writeFileSync('f', 'l1\nl2\n');
  const o = [];
  for await (const l of rlp.createInterface({ input: fs.createReadStream('f') })) o.push(l);
  return o;
});
await t('missing file', async () => {
  const rl = readline.createInterface({ input: fs.createReadStream('nope') });
  for await (const l of rl) show('l', l);
});
await t('signal', async () => {
  const ac = new AbortController();
  const rl = readline.createInterface({ input: new PassThrough(), signal: ac.signal });
  const p = once(rl, 'close');
  ac.abort();
  await p;
  return rl.closed;
});
await t('bad', () => readline.createInterface({ input: new PassThrough(), historySize: -1 }));
await t('bad2', () => readline.createInterface({ input: new PassThrough(), completer: 5 }));
await t('args form', async () => {
  const i = new PassThrough();
  const rl = readline.createInterface(i, outp());
  const p = once(rl, 'line');
  i.write('k\n');
  const r = await p;
  rl.close();
  return r;
});
await t('slow', async () => {
  const i = new PassThrough();
  const rl = readline.createInterface({ input: i });
  const o = [];
  const w = (async () => {
    for await (const l of rl) {
      o.push(l);
      await sleep(3);
    }
  })();
  for (const x of ['a\nb', 'c\nd\n', 'é'.slice(0)]) {
    i.write(x);
    await sleep(1);
  }
  i.end(Buffer.from([0xc3]));
  await w;
  return o;
});
await t('utf8 split', async () => {
  const i = new PassThrough();
  const rl = readline.createInterface({ input: i });
  const p = once(rl, 'line');
  const b = Buffer.from('ü€😀\n');
  for (const x of b) i.write(Buffer.from([x]));
  return [await p, rl.close()];
});
await t('p question close', async () => {
  const rl = rlp.createInterface({ input: new PassThrough(), output: outp() });
  rl.close();
  await rl.question('x');
});
await t('p completer', async () => {
  const input = new PassThrough();
  const rl = rlp.createInterface({ input, output: outp(), terminal: true, completer: async (l) => [['foobar'], l] });
  const p = rl.question('> ');
  input.write('fo');
  await sleep(5);
  input.write('\t');
  await sleep(20);
  input.write('\r');
  const r = await p;
  rl.close();
  return r;
});
await t('isInterface', () => [readline.Interface.name, rlp.Interface.name, Object.keys(readline).sort(), Object.keys(rlp).sort()]);
await t('tabsize', () => {
  const rl = readline.createInterface({ input: new PassThrough(), tabSize: 4, escapeCodeTimeout: 50 });
  const r = [rl.tabSize, rl.escapeCodeTimeout, rl.line, rl.cursor];
  rl.close();
  return r;
});
