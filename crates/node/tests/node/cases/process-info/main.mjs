// Properties of the process, and those that a program can change.
import fs from 'node:fs';
import os from 'node:os';
import processModule, { argv, cwd, env, nextTick, pid, stdout } from 'node:process';

const show = (name, ...values) => console.log(name, ...values);
const failing = (run) => {
  try {
    return run();
  } catch (error) {
    const { errno, code, syscall } = error;
    return [error.name, error.message.replaceAll(process.cwd(), '<here>'), { errno, code, syscall }];
  }
};
show('module', processModule === process, argv === process.argv, env === process.env, cwd() === process.cwd(), pid === process.pid, nextTick === process.nextTick, stdout === process.stdout);
show('versions', /^v20\.\d+\.\d+$/.test(process.version), process.version === `v${process.versions.node}`, process.versions.modules, process.release.name);
show('types', typeof process.ppid, process.ppid > 0, typeof process.title, process.execArgv, process.platform === os.platform(), process.arch === os.arch());
show('config', typeof process.config.variables, process.features.inspector !== undefined, process.allowedNodeEnvironmentFlags instanceof Set);
const [seconds, nanoseconds] = process.hrtime();
const passed = process.hrtime([seconds, nanoseconds]);
show('hrtime', passed.length, passed[0], typeof process.hrtime.bigint(), process.hrtime.bigint() < process.hrtime.bigint());
show('hrtime wrong', failing(() => process.hrtime(5)), failing(() => process.hrtime([1])));
show('uptime', process.uptime() >= 0, process.uptime() < 20);
show('memory', Object.keys(process.memoryUsage()), process.memoryUsage().rss > 1e6, process.memoryUsage.rss() > 1e6);
const usage = process.cpuUsage();
let sum = 0;
for (let i = 0; i < 2_000_000; i++) sum += i;
const spent = process.cpuUsage(usage);
show('cpu', Object.keys(spent), spent.user + spent.system > 0, spent.user >= 0, failing(() => process.cpuUsage({ user: 'x', system: 1 })));
show('resources', Object.keys(process.resourceUsage()), process.resourceUsage().maxRSS > 1000);
const before = process.cwd();
fs.mkdirSync('inner');
process.chdir('inner');
show('chdir', process.cwd() === `${before}/inner`, fs.existsSync('../inner'));
process.chdir('..');
show('chdir wrong', failing(() => process.chdir('not-there')), failing(() => process.chdir(5)));
const mask = process.umask(0o027);
fs.writeFileSync('masked', '');
show('umask', process.umask().toString(8), (fs.statSync('masked').mode & 0o777).toString(8), process.umask('022').toString(8), process.umask(mask));
show('umask wrong', failing(() => process.umask('x')), failing(() => process.umask({})));
show('users', process.getuid() === os.userInfo().uid, process.geteuid(), process.getgid(), process.getegid(), Array.isArray(process.getgroups()));
show('kill', process.kill(process.pid, 0), failing(() => process.kill(2 ** 30, 0)), failing(() => process.kill('x')), failing(() => process.kill(process.pid, 'SIGNO')));
fs.writeFileSync('some.env', 'A=1\n# comment\nB="two words" # after\nexport C=\'single $A\'\nD=plain value # comment\nE=`back"tick`\nF="line\\nbreak"\nG=\nHAVE=new\n  H  =  spaced  \nI="multi\nline"\n');
process.env.HAVE = 'old';
process.loadEnvFile('some.env');
show('env file', ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H', 'I', 'HAVE'].map((name) => process.env[name]));
show('env file wrong', failing(() => process.loadEnvFile('missing.env')));
show('missing', failing(() => process.binding('fs_event')).slice(0, 2), typeof process.abort, process.getBuiltinModule('fs') === fs, process.getBuiltinModule('nothing'));
process.title = 'own';
show('title', process.title);
show('active', Array.isArray(process.getActiveResourcesInfo()), typeof process.availableMemory(), typeof process.constrainedMemory());
for (const made of ['inner', 'masked', 'some.env']) fs.rmSync(made, { recursive: true });
