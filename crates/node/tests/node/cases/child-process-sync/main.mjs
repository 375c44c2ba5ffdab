// The forms that wait, with what they give and how they fail.
import { execFileSync, execSync, spawnSync } from 'node:child_process';

const show = (name, ...values) => console.log(name, ...values);
const failing = (run) => {
  try {
    return run();
  } catch (error) {
    const { pid, ...rest } = error;
    return { name: error.constructor.name, message: error.message, ...rest, pid: typeof pid };
  }
};
const plain = ({ pid, ...rest }) => ({ ...rest, pid: pid > 0 });

show('spawnSync', plain(spawnSync('sh', ['-c', 'echo out; echo err >&2; exit 3'])));
show('text', plain(spawnSync('echo', ['a'], { encoding: 'utf8' })));
show('keys', Object.keys(spawnSync('true')));
show('signal', plain(spawnSync('sh', ['-c', 'kill -TERM $$'])));
const missing = spawnSync('no-such-program', ['x']);
show('missing', { ...missing.error }, missing.error.message, missing.status, missing.output, missing.pid, missing.stdout);
const late = spawnSync('sleep', ['10'], { timeout: 50 });
show('timeout', late.error.code, late.error.message, late.status, late.signal);
const tree = spawnSync('sh', ['-c', 'sleep 3; echo never'], { timeout: 50, killSignal: 'SIGKILL' });
show('tree', tree.error.code, tree.signal);
const full = spawnSync('echo', ['0123456789'], { maxBuffer: 4, encoding: 'utf8' });
show('maxBuffer', full.error.code, full.stdout);
show('input', spawnSync('cat', { input: 'some input', encoding: 'utf8' }).stdout);
show('input bytes', spawnSync('cat', { input: new Uint8Array([65, 66]) }).stdout.toString());
show('large input', spawnSync('wc', ['-c'], { input: 'x'.repeat(500_000), encoding: 'utf8' }).stdout.trim());
show('input not read', spawnSync('true', { input: 'x'.repeat(500_000) }).status);
show('inherit', plain(spawnSync('echo', ['inherited'], { stdio: 'inherit' })));
show('mixed', plain(spawnSync('sh', ['-c', 'echo a; echo b >&2'], { stdio: ['ignore', 'pipe', 'ignore'], encoding: 'utf8' })));
show('shell', spawnSync('echo "a b" | wc -w', { shell: true, encoding: 'utf8' }).stdout.trim());

show('execSync', execSync('echo hi'), execSync('echo hi', { encoding: 'utf8' }), execSync('pwd', { cwd: '/', encoding: 'utf8' }));
show('stdio', execSync('echo x', { stdio: 'ignore' }), execSync('echo inherited', { stdio: 'inherit' }));
show('failed', failing(() => execSync('echo before; echo oops >&2; exit 2', { stdio: 'pipe' })));
show('failed text', failing(() => execSync('exit 2', { stdio: 'pipe', encoding: 'utf8' })));
show('failed timeout', failing(() => execSync('exec sleep 5', { timeout: 50, encoding: 'utf8' })).code);
show('failed missing', failing(() => execFileSync('no-such-program', ['a'])).message);
show('execFileSync', execFileSync('printf', ['%s.', 'a', 'b c'], { encoding: 'utf8' }), execFileSync('true').length);
show('execFileSync failed', failing(() => execFileSync('sh', ['-c', 'exit 9'], { encoding: 'utf8' })));
show('env', execSync('echo $A $B', { env: { A: 'x', B: 'y z' }, encoding: 'utf8' }));
for (const wrong of [() => execSync(5), () => spawnSync('ls', { input: 5 }), () => spawnSync('ls', { maxBuffer: -1 })]) {
  try {
    wrong();
    show('accepted');
  } catch (error) {
    show('wrong', error.name, error.code);
  }
}
