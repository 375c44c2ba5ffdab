// spawn, exec and execFile: streams, events, options, errors.
import childProcess, { ChildProcess, exec, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { promisify } from 'node:util';

const show = (name, ...values) => console.log(name, JSON.stringify(values));
const text = async (stream) => {
  let all = '';
  for await (const chunk of stream.setEncoding('utf8')) all += chunk;
  return all;
};

const child = spawn('sh', ['-c', 'echo out; echo err >&2; exit 3']);
const events = [];
for (const name of ['spawn', 'exit', 'close', 'error']) child.on(name, (...values) => events.push([name, ...values]));
show('class', child instanceof ChildProcess, typeof child.pid, child.connected, child.exitCode, child.signalCode, child.killed);
show('streams', child.stdio.length, child.stdio[0] === child.stdin, child.stdin.writable, child.stdout.readable);
const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
show('ended', out, err, events, child.exitCode, child.signalCode, child.spawnfile, child.spawnargs, child.kill());

const missing = spawn('no-such-program', ['a', 'b']);
missing.stdout.on('close', () => show('stdout closed'));
const seen = [];
missing.on('close', (...values) => seen.push('close', ...values));
const [error] = await once(missing, 'error');
show('missing', { ...error }, error.message, missing.pid === undefined, missing.exitCode);
await new Promise((done) => setTimeout(done, 20));
show('after', seen);
show('no folder', (await once(spawn('ls', { cwd: '/no/such/folder' }), 'error'))[0].code);
fs.writeFileSync('plain.txt', 'x');
show('not executable', (await once(spawn('./plain.txt'), 'error'))[0].code);

const cat = spawn('cat');
cat.stdin.write('one\n');
cat.stdin.write(Buffer.from('zwei ä\n'));
cat.stdin.end('three');
show('cat', await text(cat.stdout));
const big = 'x'.repeat(1_000_000);
const large = spawn('cat');
large.stdin.end(big);
show('large', (await text(large.stdout)) === big);

const sleeper = spawn('sleep', ['10']);
show('kill', sleeper.kill(), sleeper.killed, await once(sleeper, 'exit'));
const int = spawn('sleep', ['10']);
show('SIGINT', int.kill('SIGINT'), await once(int, 'exit'), int.signalCode, int.kill('SIGINT'));
const number = spawn('sleep', ['10']);
show('number', number.kill(9), await once(number, 'close'));
const probed = spawn('sleep', ['10']);
show('probe', probed.kill(0), probed.killed);
try {
  probed.kill('SIGFOO');
} catch (problem) {
  show('unknown signal', problem.name, problem.code, problem.message);
}
probed.kill('SIGKILL');
await once(probed, 'close');

const controller = new AbortController();
const aborted = spawn('sleep', ['10'], { signal: controller.signal });
setTimeout(() => controller.abort(), 20);
const [abortion] = await once(aborted, 'error');
show('abort', abortion.name, abortion.code, abortion.message, await once(aborted, 'exit'));
show('timeout', await once(spawn('sleep', ['10'], { timeout: 30 }), 'exit'));
show('timeout signal', await once(spawn('sleep', ['10'], { timeout: 30, killSignal: 'SIGKILL' }), 'exit'));

show('env', await text(spawn('sh', ['-c', 'echo "$A|$B|$HOME"'], { env: { A: 1, B: 'b c', PATH: process.env.PATH, U: undefined } }).stdout));
show('shell', await text(spawn('echo $0 "a  b" | tr a-z A-Z', { shell: true }).stdout));
show('argv0', await text(spawn('sh', ['-c', 'echo $0'], { argv0: 'other' }).stdout));
show('cwd', await text(spawn('pwd', { cwd: '/' }).stdout), await text(spawn('pwd', { cwd: new URL('file:///usr') }).stdout));
const ignored = spawn('sh', ['-c', 'echo x; echo y >&2'], { stdio: 'ignore' });
show('ignore', ignored.stdin, ignored.stdout, ignored.stdio, await once(ignored, 'close'));
const mixed = spawn('sh', ['-c', 'cat; echo to stderr >&2'], { stdio: ['pipe', 'pipe', 'ignore'] });
mixed.stdin.end('mixed');
show('mixed', mixed.stderr, await text(mixed.stdout));
process.stdout.write('before inherit\n');
await once(spawn('echo', ['inherited'], { stdio: 'inherit' }), 'close');
await once(spawn('sh', ['-c', 'echo by number; echo again >&2'], { stdio: [0, 1, 1] }), 'close');
await once(spawn('echo', ['by stream'], { stdio: ['ignore', process.stdout, process.stderr] }), 'close');
console.log('after inherit');

const run = promisify(exec);
show('exec', await run('echo hello; echo problem >&2'));
show('exec failed', await run('echo partial; echo reason >&2; exit 4').catch((e) => ({ ...e, message: e.message })));
show('exec killed', await run('exec sleep 10', { timeout: 30 }).catch((e) => ({ ...e, message: e.message })));
show('exec maxBuffer', await run('echo 0123456789', { maxBuffer: 4 }).catch((e) => [e.name, e.code, e.message, e.stdout, e.cmd]));
show('exec cwd env', await run('pwd; echo $X', { cwd: '/', env: { X: '5' } }));
const file = promisify(execFile);
show('execFile', await file('printf', ['%s-', 'a', 'b c']));
show('execFile failed', await file('sh', ['-c', 'exit 7']).catch((e) => ({ ...e, message: e.message })));
show('execFile missing', await file('no-such-program').catch((e) => ({ ...e, message: e.message })));
show('execFile abort', await file('sleep', ['5'], { signal: AbortSignal.timeout(20) }).catch((e) => [e.name, e.code]));
await new Promise((done) => execFile('echo', ['x'], { encoding: 'buffer' }, (problem, stdout) => (show('buffer', problem, [...stdout]), done())));
await new Promise((done) => exec('printf "\\351"', { encoding: 'latin1' }, (problem, stdout) => (show('latin1', stdout), done())));
const withInput = run('cat');
withInput.child.stdin.end('via child');
show('promise.child', await withInput);

for (const wrong of [() => spawn(''), () => spawn(5), () => spawn('ls', 'x'), () => spawn('ls', { cwd: 5 }), () => spawn('ls', { stdio: 'no' }), () => spawn('ls', { timeout: -1 }), () => spawn('ls', { shell: 5 }), () => exec(5), () => spawn('ls', ['a\0b']), () => spawn('ls', { killSignal: 'SIGNO' }), () => spawn('ls', { signal: 5 }), () => execFile('ls', 'x')]) {
  try {
    wrong();
    show('accepted', String(wrong));
  } catch (problem) {
    show('wrong', problem.name, problem.code);
  }
}
show('names', Object.keys(childProcess).filter((name) => !name.startsWith('_')).sort());
const unread = spawn('sh', ['-c', 'echo nobody reads this']);
show('unread', await once(unread, 'close'));
const late = spawn('true');
late.unref();
late.ref();
show('late', await once(late, 'exit'));
process.on('exit', (code) => console.log('bye', code));
