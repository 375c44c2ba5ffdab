//! More ways around the restrictions of a prompt file, all of which must fail (docs/reference/permissions.md, "How it
//! is enforced"). Links, `..`, `/proc/self`, redirects, the environment of children, imports and CommonJS are in
//! `run.rs`, files with keys in `keys.rs`.

use crate::{
    helpers::{folder, lines},
    support::Outcome,
};

fn refused(line: &str, option: &str) {
    assert!(line.ends_with(&format!("PermissionError {option}")), "{line}");
}

#[test]
fn numbers_of_open_files_lead_nowhere() {
    let folder = folder(
        "for (let number = 3; number < 40; number += 1) {
    for (const path of [`/dev/fd/${number}`, `/proc/self/fd/${number}`, `/proc/${process.pid}/fd/${number}`]) {
      try { console.log(`${path}: ${fs.readFileSync(path, 'utf8')}`); } catch {}
    }
    try { console.log(`${number}: ${fs.readSync(number, Buffer.alloc(9))}`); } catch {}
    try { fs.closeSync(number); console.log(`closed ${number}`); } catch {}
  }
  await attempt('list', () => fs.readdirSync('/proc/self/fd').length);
  await attempt('root', () => fs.readFileSync(`/proc/self/root${process.cwd()}/out/secret.txt`, 'utf8'));
  await attempt('maps', () => fs.readFileSync('/proc/self/maps', 'utf8').length);",
    );
    let all = lines(&folder, "--restrict --journal=runs.db");
    assert_eq!(all.len(), 3, "{all:?}");
    all.iter().for_each(|line| refused(line, "--allow-read"));
}

#[test]
fn sockets_need_files_that_may_be_written_and_abstract_ones_are_none() {
    let folder = folder(
        "const connect = (path) => new Promise((done, no) => net.connect(path, () => done('connected')).on('error', no));
  const listen = (path) => new Promise((done, no) => net.createServer().on('error', no).listen(path, () => done('listening')));
  await attempt('path', () => connect('out/socket'));
  await attempt('link', () => connect('own/link/socket'));
  await attempt('listen', () => listen('own/socket'));
  await attempt('abstract', () => connect('\\0name'));
  await attempt('abstract server', () => listen('\\0name'));
  await attempt('fetch', async () => (await fetch(new URL('../out/secret.txt', import.meta.url))).text());",
    );
    let all = lines(&folder, "--allow-read=own");
    for line in &all[..3] {
        assert!(line.contains("PermissionError --allow-"), "{all:?}");
    }
    all[3..5].iter().for_each(|line| refused(line, "never"));
    assert!(!all[5].contains("outside"), "{all:?}");
}

#[test]
fn internal_modules_are_not_importable() {
    let folder = folder(
        "const native = 'lmthing:internal/native/fs';
  await attempt('import', async () => Object.keys(await import(native)).length);
  await attempt('require', () => Object.keys(require(native)).length);
  await attempt('data', async () => Object.keys((await import(`data:text/javascript,export * from '${native}'`))).length);
  await attempt('eval', async () => Object.keys(await (0, eval)(`import('${native}')`)).length);
  await attempt('function', async () => Object.keys(await new Function(`return import('${native}')`)()).length);
  await attempt('binding', () => process.binding('fs'));",
    );
    let all = lines(&folder, "--restrict");
    // Some messages have several lines.
    assert_eq!(all.iter().filter(|line| line.contains(": Error ")).count(), 6, "{all:?}");
}

#[test]
fn code_from_a_text_has_the_same_rights() {
    let folder = folder(
        "await attempt('data', async () => (await import(`data:text/javascript,export default process.env.PLAIN`)).default);
  await attempt('eval', () => (0, eval)('process.env.PLAIN'));
  await attempt('vm', async () => (await import('node:vm')).default.runInThisContext('process.env.PLAIN'));
  await attempt('other folder', () => createRequire(new URL('../out/x.cjs', import.meta.url))('./code.cjs'));
  await attempt('query', async () => (await import('../out/code.mjs?again')).default);
  await attempt('encoded', async () => (await import('..%2fout%2fcode.mjs').catch(() => import('../%6fut/code.mjs'))).default);
  await attempt('other prompt', async () => (await import('lmthing')).run('../out/code.mjs'));",
    );
    let all = lines(&folder, "--restrict");
    all[..3].iter().for_each(|line| refused(line, "--allow-env"));
    all[3..].iter().for_each(|line| refused(line, "--allow-read"));
    assert_eq!(all.len(), 7, "{all:?}");
}

#[test]
fn the_home_folder_and_other_processes_are_hidden() {
    let folder = folder(
        "const os = (await import('node:os')).default;
  await attempt('home', () => os.homedir() + os.userInfo().homedir);
  await attempt('parent', () => process.kill(process.ppid, 0));
  await attempt('all', () => process.kill(-1, 0));
  await attempt('group', () => process.kill(0, 0));
  await attempt('first', () => os.getPriority(1));
  await attempt('self', () => process.kill(process.pid, 0));
  await attempt('own', () => { const child = spawnSync('true'); return child.status; });",
    );
    let mut command = folder.command("run --allow-run=true own/p.lmt.mjs");
    let outcome = Outcome::of(command.env("HOME", "/home/of/a-secret"));
    assert!(!format!("{outcome:?}").contains("a-secret"), "{outcome:?}");
    let all: Vec<_> = outcome.stdout.lines().collect();
    all[1..5].iter().for_each(|line| refused(line, "--allow-run"));
    assert_eq!(all[5..7], ["self: true", "own: 0"], "{outcome:?}");
    let mut command = folder.command("run --allow-env=HOME own/p.lmt.mjs");
    let outcome = Outcome::of(command.env("HOME", "/home/of/a-secret"));
    assert!(outcome.stdout.starts_with("home: /home/of/a-secret/home/of/a-secret\n"), "{outcome:?}");
}

#[test]
fn names_are_looked_up_for_those_who_may_talk_to_them() {
    let folder = folder(
        "for (const name of ['lookup', 'resolve', 'resolve4', 'resolve6']) {
    await attempt(name, () => dns.promises[name]('localhost'));
    await attempt(`${name} back`, () => new Promise((done, no) => dns[name]('localhost', (error, found) => error ? no(error) : done(found))));
  }",
    );
    let all = lines(&folder, "--allow-net=example.org");
    assert_eq!(all.len(), 8, "{all:?}");
    all.iter().for_each(|line| refused(line, "--allow-net"));
}

#[test]
fn packages_find_variables_unset_and_the_file_gets_an_error() {
    let folder = folder(
        "await attempt('own', () => process.env.NODE_ENV);
  await attempt('package', async () => (await import('looks')).default);
  await attempt('commonjs', () => require('looks/common.cjs'));
  await attempt('path', async () => (await import('node:path')).default.win32.resolve('q:x'));",
    );
    folder.write(
        "node_modules/looks/package.json",
        r#"{"name":"looks","type":"module","exports":{".":"./index.js","./common.cjs":"./common.cjs"}}"#,
    );
    folder.write(
        "node_modules/looks/index.js",
        "export default `${process.env.NODE_ENV} ${process.env.OPENAI_API_KEY} ${process.env.PLAIN}`;",
    );
    folder.write("node_modules/looks/common.cjs", "module.exports = process.env.PLAIN ?? 'unset';");
    let all = lines(&folder, "--restrict");
    refused(&all[0], "--allow-env");
    assert_eq!(all[1..3], ["package: undefined undefined undefined", "commonjs: unset"]);
    assert!(all[3].starts_with("path: q:\\"), "{all:?}");
    assert_eq!(lines(&folder, "--allow-env=PLAIN")[1..3], ["package: undefined undefined plain", "commonjs: plain"]);
}

#[test]
fn a_refusal_names_what_can_be_typed() {
    let folder = folder(
        "const option = (work) => { try { work(); } catch (error) { console.log(error.message.split('run it with ')[1].replace(process.cwd(), '')); } };
  option(() => fs.readFileSync('own/../out/./secret.txt'));
  option(() => fs.writeFileSync(`${process.cwd()}/own/../out/new.txt`, ''));
  option(() => fs.mkdtempSync('out/made-'));
  option(() => spawnSync('../own/./tool', { cwd: 'own' }).error && null);
  option(() => { throw spawnSync('own/../no-program').error ?? new Error('run it with nothing'); });",
    );
    let all = lines(&folder, "--restrict");
    assert_eq!(
        all,
        [
            "--allow-read=/out/secret.txt",
            "--allow-write=/out/new.txt",
            "--allow-write=/out",
            "--allow-run=/own/tool",
            "--allow-run=/no-program"
        ]
    );
}

/// Besides the sandbox process, which lmthing starts from its own executable.
#[test]
fn code_that_a_model_writes_has_the_rights_of_the_functions_it_calls() {
    let code = "try { return await look({ path: 'out/secret.txt' }); } catch (error) { return String(error); }";
    let source = format!(
        "import fs from 'node:fs';
export const config = {{ model: 'mock' }};
export const mock = [{{ type: 'tool-call', toolName: 'runToolCode', args: {{ code: {code:?} }} }}, {{ type: 'text', text: 'Done.' }}];
export default async ({{ defFunction, defTool, $ }}) => {{
  const path = {{ type: 'object', properties: {{ path: {{ type: 'string' }} }}, required: ['path'] }};
  defFunction('look', 'Looks', path, ({{ path }}) => fs.readFileSync(path, 'utf8'));
  $`go`;
}};"
    );
    let folder = folder("");
    folder.write("own/p.lmt.mjs", &source);
    let outcome = folder.run("run --restrict -f events own/p.lmt.mjs");
    assert!(outcome.stdout.contains("is not allowed: the prompt file is restricted"), "{outcome:?}");
    assert!(!outcome.stdout.contains("outside"), "{outcome:?}");
}

/// File descriptors that lmthing itself has open are not accessible to the script.
#[cfg(target_os = "linux")]
#[test]
fn a_program_gets_only_files_that_the_script_has_opened_and_as_it_has() {
    let folder = folder(
        "let given = 0;
  for (let number = 3; number < 60; number += 1) {
    for (const stdio of [[number, 'pipe', 'pipe'], ['ignore', number, 'pipe']]) {
      const { error } = spawnSync('sh', ['-c', 'head -c 9; echo evil'], { stdio });
      if (error?.code !== 'EBADF') given += 1;
    }
  }
  await attempt('given', () => given);
  const file = fs.openSync('own/data.txt', 'r');
  await attempt('read', () => spawnSync('cat', { stdio: [file, 'pipe', 'pipe'], encoding: 'utf8' }).stdout);
  spawnSync('sh', ['-c', 'echo evil'], { stdio: ['ignore', file, 'pipe'] });
  await attempt('unchanged', () => fs.readFileSync('own/data.txt', 'utf8'));",
    );
    let all = lines(&folder, "--journal=runs.db --allow-run=sh,cat");
    assert_eq!(all, ["given: 0", "read: own data", "unchanged: own data"]);
}

/// The working directory, a folder or a link changes between the check and the access.
#[test]
fn asynchronous_accesses_happen_where_they_were_checked() {
    let folder = folder(
        "const root = process.cwd();
  fs.mkdirSync('free/sub', { recursive: true }); fs.mkdirSync('free/full'); fs.writeFileSync('free/evil.json', 'evil'); fs.writeFileSync('free/keys.txt', 'mine');
  const outcomes = new Set();
  const later = async (work) => {
    process.chdir(`${root}/free`);
    const doing = work();
    process.chdir(root);
    await doing.then(() => outcomes.add('done'), (error) => outcomes.add(error.code));
    if (!fs.existsSync('free/evil.json')) fs.writeFileSync('free/evil.json', 'evil');
  };
  for (let round = 0; round < 20; round += 1) {
    await later(() => fs.promises.rename(`${root}/free/evil.json`, 'servers.json'));
    await later(() => fs.promises.symlink('/', 'sub/x').then(() => fs.promises.unlink('sub/x')));
    await later(() => fs.promises.unlink('keys.txt'));
    await later(() => fs.promises.rename('sub', 'moved').then(() => fs.promises.rename('free/moved', 'free/sub')));
    await later(() => fs.promises.writeFile('servers.json', 'evil'));
    await later(() => fs.promises.chmod('servers.json', 0o777));
  }
  // A folder that does not exist yet, or cannot be held open because too many files are open.
  const late = fs.promises.rename('free/evil.json', 'free/missing/servers.json');
  fs.symlinkSync('..', 'free/missing');
  await late.then(() => outcomes.add('late'), () => {});
  const open = [];
  try { for (;;) open.push(fs.openSync('/dev/null')); } catch {}
  const full = fs.promises.rename('free/evil.json', 'free/full/servers.json').catch((error) => error.name);
  open.forEach((file) => fs.closeSync(file));
  fs.renameSync('free/full', 'free/emptied'); fs.symlinkSync('..', 'free/full');
  await full;
  fs.mkdirSync('free/base'); process.chdir('free/base');
  const made = fs.promises.mkdtemp('tmp-');
  process.chdir(root);
  await made;
  await attempt('late', () => outcomes.has('late'));
  await attempt('made', () => fs.readdirSync('free/base').length);
  await attempt('some were done', () => outcomes.has('done'));",
    );
    folder.write("servers.json", r#"{"mcpServers":{}}"#);
    folder.write("keys.txt", "A=b");
    folder.write("sub/.env", "A=b");
    let all = lines(&folder, "--env-file keys.txt --mcp-config servers.json --allow-read --allow-write");
    assert_eq!(all, ["late: false", "made: 1", "some were done: true"]);
    assert_eq!(std::fs::read_to_string(folder.path("servers.json")).unwrap(), r#"{"mcpServers":{}}"#);
    assert!(folder.path("keys.txt").exists() && folder.path("sub/.env").exists() && folder.path("free/sub").is_dir());
}

#[test]
fn paths_that_cannot_be_looked_at_lead_nowhere() {
    let folder = folder(
        "const root = process.cwd(); const path = (await import('node:path')).default;
  fs.mkdirSync('deep'); process.chdir('deep');
  const part = 'm'.repeat(250);
  while (process.cwd().length < 3700) { fs.mkdirSync(part); process.chdir(part); }
  const long = path.join('n'.repeat(250), 'k'.repeat(200));
  fs.mkdirSync(long, { recursive: true });
  await attempt('link', () => fs.symlinkSync(root, path.join(long, 'x')));
  await attempt('rename', () => fs.renameSync(`${root}/out/data.json`, path.join(long, 'x', 'servers.json')));
  await attempt('unlink', () => fs.unlinkSync(path.join(long, 'x', 'keys.txt')));
  process.chdir(root);
  await attempt('make', () => fs.mkdirSync('.mcp.json/../made', { recursive: true }));
  await attempt('made', () => fs.existsSync('.mcp.json'));
  fs.mkdirSync('free/node_modules', { recursive: true }); fs.mkdirSync('out/later');
  await attempt('packages', () => { spawnSync('sh', ['-c', 'echo evil > free/node_modules/.mcp.json']); fs.renameSync('free/node_modules', 'project'); });
  await attempt('system', () => fs.openSync('/proc/sys/kernel/core_pattern', 'r+'));
  await attempt('linked', () => fs.writeFileSync('tsconfig.json', '{}'));
  await attempt('its target', () => fs.writeFileSync('out/ts.json', '{}'));",
    );
    folder.write("servers.json", r#"{"mcpServers":{}}"#);
    folder.write("keys.txt", "A=b");
    folder.write("out/ts.json", "{}");
    std::os::unix::fs::symlink("out/ts.json", folder.path("tsconfig.json")).unwrap();
    let all = lines(&folder, "--env-file keys.txt --mcp-config servers.json --allow-read --allow-write --allow-run=sh");
    assert_eq!(std::fs::read_to_string(folder.path("servers.json")).unwrap(), r#"{"mcpServers":{}}"#);
    assert!(folder.path("keys.txt").exists());
    assert!(all[1..3].iter().all(|line| line.ends_with("PermissionError never")), "{all:?}");
    assert_eq!(all[4], "made: false");
    all[5..].iter().for_each(|line| refused(line, "never"));
    assert_eq!(all.len(), 9, "{all:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn programs_cannot_inject_input_or_open_unix_sockets() {
    let folder = folder(
        "const python = (code) => { const { stdout, stderr } = spawnSync('python3', ['-c', code], { encoding: 'utf8' }); return stdout + stderr.trim().split('\\n').at(-1); };
  await attempt('socket', () => python('import socket; socket.socket(socket.AF_UNIX)'));
  await attempt('pair', () => python('import socket; socket.socketpair(); print(1)'));
  await attempt('datagrams', () => python('import socket; socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)'));
  await attempt('typing', () => python('import fcntl, os; fcntl.ioctl(0, 0x5412, b\"x\")'));
  await attempt('signal', () => python(`import os; os.kill(${process.pid}, 0)`));
  process.chdir('own');
  await attempt('elsewhere', () => python('print(open(\"../sub/.env\").read())'));
  fs.chmodSync('../closed', 0o300);
  await attempt('closed', () => python('import os; os.chmod(\"../closed\", 0o700); print(open(\"../closed/.env\").read())'));",
    );
    folder.write("sub/.env", "A=b");
    folder.write("closed/.env", "A=b");
    let all = lines(&folder, "--allow-read --allow-write --allow-run=python3");
    let denied = "PermissionError: [Errno 1] Operation not permitted";
    assert_eq!((all[0].as_str(), all[1].as_str()), (&*format!("socket: {denied}"), "pair: 1"), "{all:?}");
    assert_eq!(all[2..4], [format!("datagrams: {denied}"), format!("typing: {denied}")], "{all:?}");
    assert!(all[5].contains("Errno 13") && all[6].contains("Errno 13"), "{all:?}");
}

#[test]
fn files_that_decide_imports_need_read_permission() {
    let folder = folder(
        "await attempt('link', async () => (await import('./linked/it.mjs')).default);
  await attempt('kind', async () => (await import('./linked/plain.js')).default);
  await attempt('require', () => require('./linked'));
  await attempt('package', async () => (await import('bent')).default);
  await attempt('own', async () => (await import('pack')).default);
  await attempt('extends', async () => (await import('./typed/it.ts')).default);
  await attempt('node_modules', async () => (await import('./shared/it.ts')).default);",
    );
    folder.write(
        "out/package.json",
        r##"{"type":"module","main":"./plain.js","imports":{"#secret":"./plain.js"},"exports":"./index.js"}"##,
    );
    folder.write("own/linked/plain.js", "export default 'plain';");
    folder.write("own/linked/it.mjs", "import '#secret'; export default 'it';");
    folder.write("own/node_modules/bent/index.js", "export default 'bent';");
    folder.write("out/tsconfig.base.json", r#"{"compilerOptions":{"paths":{"secret":["../own/typed/secret.ts"]}}}"#);
    folder.write("own/typed/tsconfig.json", r#"{"extends":"../../out/tsconfig.base.json"}"#);
    folder.write("own/typed/secret.ts", "export default 'mapped';");
    folder.write("own/typed/it.ts", "import it from 'secret'; export default it;");
    folder.write(
        "node_modules/base/tsconfig.json",
        r#"{"compilerOptions":{"paths":{"secret":["../../own/typed/secret.ts"]}}}"#,
    );
    folder.write("own/shared/tsconfig.json", r#"{"extends":"base/tsconfig.json"}"#);
    folder.write("own/shared/it.ts", "import it from 'secret'; export default it;");
    for own in ["own/linked", "own/node_modules/bent"] {
        std::os::unix::fs::symlink(folder.path("out/package.json"), folder.path(own).join("package.json")).unwrap();
    }
    let all = lines(&folder, "--restrict");
    for name in ["link", "kind", "require", "package", "extends"] {
        let line = all.iter().find(|line| line.starts_with(&format!("{name}: "))).unwrap();
        refused(line, "--allow-read");
    }
    assert!(all.iter().any(|line| line == "own: package"), "{all:?}");
    assert!(all.iter().any(|line| line == "node_modules: mapped"), "{all:?}");
    let all = lines(&folder, "--restrict --allow-read=out");
    for line in ["link: it", "kind: plain", "package: bent", "extends: mapped"] {
        assert!(all.iter().any(|found| found == line), "{line}: {all:?}");
    }
}
