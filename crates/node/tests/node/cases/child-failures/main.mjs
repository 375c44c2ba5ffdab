// Children: what fails and how the error looks; what streams and events tell.
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
import cp, { spawn, exec, execFile, spawnSync, execSync, execFileSync, fork } from 'node:child_process';
import fs from 'node:fs';
import util from 'node:util';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
const e2 = (e) => ({
  name: e.name,
  message: e.message,
  code: e.code,
  errno: e.errno,
  syscall: e.syscall,
  path: e.path,
  spawnargs: e.spawnargs,
  status: e.status,
  signal: e.signal,
  killed: e.killed,
  cmd: e.cmd,
  out: e.stdout?.toString(),
  err: e.stderr?.toString(),
  keys: Object.keys(e),
});
const t2 = async (name, fn) => {
  try {
    show(name, await fn());
  } catch (e) {
    show(name + ' !', e2(e));
  }
};
await t2('execSync', () => execSync('echo hi', { encoding: 'utf8' }));
await t2('execSync buf', () => execSync('printf "\\303\\244"').toString());
await t2('execSync fail', () => execSync('echo out; echo err >&2; exit 3', { stdio: 'pipe' }));
await t2('execSync sig', () => execSync('kill -9 $$', { stdio: 'pipe' }));
await t2('execSync timeout', () => execSync('sleep 5', { timeout: 100, stdio: 'pipe' }));
await t2('execFileSync', () => execFileSync('cat', ['-'], { input: 'in', encoding: 'utf8' }));
await t2('execFileSync ENOENT', () => execFileSync('nope-x', ['a']));
await t2('execFileSync args', () => execFileSync('sh', ['-c', 'echo "$0" "$1"', 'A B', 'C'], { encoding: 'utf8' }));
await t2('spawnSync', () => {
  const r = spawnSync('sh', ['-c', 'echo a; echo b >&2; exit 2']);
  return [Object.keys(r), r.status, r.signal, `${r.stdout}`, `${r.stderr}`, r.output.map((x) => x && `${x}`), r.pid > 0];
});
await t2('spawnSync ENOENT', () => {
  const r = spawnSync('nope-x');
  return [Object.keys(r), e2(r.error), r.status, r.output, r.stdout, r.pid];
});
await t2('spawnSync cwd', () => {
  const r = spawnSync('pwd', { cwd: '/nope/dir' });
  return [e2(r.error), r.status];
});
await t2('spawnSync shell', () => spawnSync('echo $((1+2)); exit 7', { shell: true, encoding: 'utf8' }).stdout);
await t2('spawnSync timeout', () => {
  const r = spawnSync('sleep', ['5'], { timeout: 100 });
  return [r.status, r.signal, e2(r.error)];
});
await t2('spawnSync killSignal', () => {
  const r = spawnSync('sleep', ['5'], { timeout: 100, killSignal: 'SIGKILL' });
  return [r.status, r.signal, r.error.code];
});
await t2('spawnSync inherit', () => {
  const r = spawnSync('echo', ['"inherited"'], { stdio: 'inherit' });
  return [r.stdout, r.output];
});
await t2('spawnSync stdio mix', () => {
  const fd = fs.openSync('o.txt', 'w');
  const r = spawnSync('sh', ['-c', 'echo a; echo b >&2'], { stdio: ['ignore', fd, 'pipe'] });
  fs.closeSync(fd);
  return [r.stdout, `${r.stderr}`, fs.readFileSync('o.txt', 'utf8')];
});
await t2('input u8', () =>
  spawnSync('wc', ['-c'], { input: new Uint8Array(1000) })
    .stdout.toString()
    .trim(),
);
await t2('bad args', () => spawn(5));
await t2('bad empty', () => spawn(''));
await t2('bad args2', () => spawn('ls', 'x'));
await t2('bad cwd', () => spawn('ls', [], { cwd: 5 }));
await t2('bad timeout', () => spawnSync('ls', [], { timeout: -1 }));
await t2('bad stdio', () => spawn('ls', [], { stdio: 'zz' }));
await t2('bad sig', () => {
  const c = spawn('sleep', ['1']);
  try {
    c.kill('SIGFOO');
  } finally {
    c.kill();
  }
});
const c = spawn('nope-y', ['q']);
show('enoent child', [c.pid, c.exitCode, c.spawnfile, c.spawnargs, c.connected, c.killed]);
const [ee] = await once(c, 'error');
show('enoent', e2(ee));
await t2('spawn', async () => {
  const c = spawn('sh', ['-c', 'cat; echo done >&2; exit 5']);
  const ev = [];
  for (const n of ['spawn', 'exit', 'close', 'disconnect', 'message']) c.on(n, (...a) => ev.push([n, ...a]));
  c.stdin.write('abc');
  c.stdin.end('def');
  const [o, e] = await Promise.all([text(c.stdout), text(c.stderr)]);
  await sleep(30);
  return [o, e, ev, c.exitCode, c.signalCode, c.killed];
});
await t2('kill', async () => {
  const c = spawn('sleep', ['9']);
  const r = c.kill();
  const k = c.killed;
  const [code, sig] = await once(c, 'exit');
  return [r, k, code, sig, c.exitCode, c.signalCode, c.kill()];
});
await t2('kill0', async () => {
  const c = spawn('sleep', ['9']);
  const r = [c.kill(0), c.killed, c.kill('SIGINT')];
  return [r, await once(c, 'close')];
});
await t2('abort', async () => {
  const ac = new AbortController();
  const c = spawn('sleep', ['9'], { signal: ac.signal });
  const p = once(c, 'error');
  const q = new Promise((d) => c.on('close', (...a) => d(a)));
  ac.abort();
  const [e] = await p;
  return [e.name, e.code, e.message, String(e.cause?.name), await q];
});
await t2('timeout', async () => {
  const c = spawn('sleep', ['9'], { timeout: 50 });
  return [await once(c, 'exit'), c.killed];
});
await t2('stdio', async () => {
  const c = spawn('true', { stdio: 'ignore' });
  await once(c, 'close');
  return [c.stdin, c.stdout, c.stderr, c.stdio];
});
await t2('inherit', async () => {
  const c = spawn('echo', ['"via inherit"'], { stdio: ['ignore', 'inherit', 'inherit'] });
  return await once(c, 'close');
});
await t2('setEncoding', async () => {
  const c = spawn('printf', ['äö']);
  c.stdout.setEncoding('hex');
  let s = '';
  c.stdout.on('data', (d) => (s += d));
  await once(c, 'close');
  return s;
});
await t2('pipe', async () => {
  const a = spawn('printf', ['b\na\n']),
    b = spawn('sort');
  a.stdout.pipe(b.stdin);
  return await text(b.stdout);
});
await t2('env', async () => {
  const c = spawn('sh', ['-c', 'echo $A-$B'], { env: { A: 1, B: undefined, PATH: process.env.PATH } });
  return await text(c.stdout);
});
await t2('argv0', async () => {
  const c = spawn('sh', ['-c', 'echo $0'], { argv0: 'renamed' });
  return await text(c.stdout);
});
await t2('shell args', async () => {
  const c = spawn('echo', ['$HOME_X', 'b'], { shell: true, env: { ...process.env, HOME_X: 'z' } });
  return [await text(c.stdout), c.spawnargs, c.spawnfile];
});
