//! What a restricted prompt file may access (docs/reference/permissions.md), and ways around it.

use std::{
    io::{Read, Write},
    net::TcpListener,
    thread,
};

use crate::{
    helpers::{folder, lines, tried},
    support::Folder,
};

#[test]
fn a_restricted_file_reads_its_own_folder_and_packages() {
    let folder = folder(
        "await attempt('own', () => fs.readFileSync('own/data.txt', 'utf8'));
  await attempt('helper', async () => (await import('./sub/helper.mjs')).default);
  await attempt('package', async () => (await import('pack')).default);
  await attempt('list', () => fs.readdirSync('own/sub').join());",
    );
    assert_eq!(
        lines(&folder, "--restrict"),
        ["own: own data", "helper: helper", "package: package", "list: helper.mjs"]
    );
}

#[test]
fn no_way_of_reading_leads_outside() {
    let folder = folder(
        "const way = (name, path) => attempt(name, () => fs.readFileSync(path, 'utf8'));
  await way('plain', 'out/secret.txt'); await way('dots', 'own/../out/secret.txt'); await way('link', 'own/link/secret.txt');
  await way('url', new URL('../out/secret.txt', import.meta.url)); await way('proc', '/proc/self/cwd/out/secret.txt');
  await attempt('promise', () => fs.promises.readFile('out/secret.txt', 'utf8'));
  await attempt('open', () => fs.openSync('out/secret.txt', 'r'));
  await attempt('stat', () => fs.statSync('out/secret.txt').size);
  await attempt('exists', () => fs.existsSync('out/secret.txt'));
  await attempt('list', () => fs.readdirSync('own/link').join());
  await attempt('copy', () => fs.copyFileSync('out/secret.txt', 'own/copy.txt'));
  await attempt('watch', () => fs.watch('out').close());
  await attempt('chdir', () => { process.chdir('out'); return fs.readFileSync('secret.txt', 'utf8'); });
  await attempt('import', async () => (await import('../out/code.mjs')).default);
  await attempt('import link', async () => (await import('./link/code.mjs')).default);
  await attempt('import url', async () => (await import(String(new URL('../out/code.mjs', import.meta.url)))).default);
  await attempt('import text', async () => (await import('../out/secret.txt', { with: { type: 'text' } })).default);
  await attempt('require', () => require('../out/code.cjs'));
  await attempt('require json', () => require('../out/data.json'));",
    );
    for line in lines(&folder, "--restrict") {
        let is_refused = line.ends_with("PermissionError --allow-read") || line == "exists: false";
        assert!(is_refused || line == "copy: PermissionError --allow-read", "{line}");
    }
    let allowed = lines(&folder, "--allow-read=out");
    assert!(allowed.iter().filter(|line| line.ends_with("outside")).count() >= 7, "{allowed:?}");
    assert!(allowed.contains(&"copy: PermissionError --allow-write".to_owned()), "{allowed:?}");
}

#[test]
fn no_way_of_writing_leads_outside() {
    let folder = folder(
        "await attempt('write', () => fs.writeFileSync('out/new.txt', 'x'));
  await attempt('dangling', () => fs.writeFileSync('own/dangling', 'x'));
  await attempt('link', () => fs.appendFileSync('own/link/secret.txt', 'x'));
  await attempt('rename', () => fs.renameSync('own/data.txt', 'out/data.txt'));
  await attempt('unlink', () => fs.unlinkSync('own/link/secret.txt'));
  await attempt('make', () => fs.mkdirSync('out/folder'));
  await attempt('temporary', () => fs.mkdtempSync('ow'));
  await attempt('symlink', () => fs.symlinkSync('../out/secret.txt', 'own/new-link'));
  await attempt('hard link', () => fs.linkSync('out/secret.txt', 'own/new-name'));
  await attempt('mode', () => fs.fchmodSync(fs.openSync('own/../out/secret.txt', 'r'), 0o777));
  await attempt('own', () => { fs.writeFileSync('own/made.txt', 'made'); return fs.readFileSync('own/made.txt', 'utf8'); });",
    );
    for line in lines(&folder, "--restrict") {
        assert!(line.contains(": PermissionError --allow-"), "{line}");
    }
    let mut with_own = lines(&folder, "--allow-write=own");
    assert_eq!(with_own.pop().as_deref(), Some("own: made"));
    for line in with_own {
        assert!(line.contains(": PermissionError --allow-"), "{line}");
    }
    assert!(!folder.path("out/new.txt").exists() && !folder.path("out/not-there.txt").exists());
    assert_eq!(std::fs::read_to_string(folder.path("out/secret.txt")).unwrap(), "outside");
}

const KEYS: &str = "
  const { OPENAI_API_KEY: taken, ...rest } = { ...process.env };
  await attempt('key', () => process.env.OPENAI_API_KEY);
  await attempt('key of the process', () => process.env.ANTHROPIC_API_KEY);
  await attempt('listed', () => Object.keys(process.env).filter((name) => name.endsWith('_API_KEY')).length);
  await attempt('file', () => fs.readFileSync('.env', 'utf8'));
  await attempt('loaded', () => process.loadEnvFile());
  await attempt('process', () => fs.readFileSync('/proc/self/environ', 'utf8'));
  await attempt('parent', () => fs.readFileSync(`/proc/${process.ppid}/environ`, 'utf8'));
  await attempt('moved', () => fs.renameSync('.env', 'own/env.txt'));
  await attempt('named', () => fs.linkSync('.env', 'own/env.txt'));
  await attempt('server', () => createOpenAI({ baseURL: 'http://127.0.0.1:9/v1' })('gpt-4o'));";

#[test]
fn no_option_opens_keys() {
    let folder = folder(KEYS);
    let everything = "--allow-read --allow-write --allow-net --allow-env --allow-run";
    for line in lines(&folder, everything) {
        let is_expected = line.ends_with("PermissionError never") || line == "listed: 0";
        assert!(is_expected || line == "server: PermissionError", "{line}");
    }
    let named = lines(&folder, "--allow-env=OPENAI_API_KEY,ANTHROPIC_API_KEY --allow-read=.env");
    assert_eq!(
        named[..4],
        [
            "key: PermissionError never",
            "key of the process: PermissionError never",
            "listed: 0",
            "file: PermissionError never"
        ]
    );
}

#[test]
fn variables_are_given_one_by_one() {
    let folder = folder(
        "await attempt('plain', () => process.env.PLAIN);
  await attempt('soft', () => process.env.TONE);
  await attempt('unset', () => process.env.NOT_THERE_AT_ALL);
  await attempt('listed', () => Object.keys(process.env).join());
  process.env.OWN = 'set'; await attempt('own', () => process.env.OWN);",
    );
    let none = lines(&folder, "--restrict");
    let refused = ["plain", "soft", "unset"].map(|name| format!("{name}: PermissionError --allow-env"));
    assert_eq!(none, [refused[0].as_str(), &refused[1], &refused[2], "listed:", "own: set"]);
    let one = lines(&folder, "--allow-env=PLAIN");
    assert_eq!(one, ["plain: plain", &refused[1], &refused[2], "listed: PLAIN", "own: set"]);
    let all = lines(&folder, "--allow-env");
    assert_eq!(all[..3], ["plain: plain", "soft: soft", "unset: undefined"]);
}

#[test]
fn programs_are_given_one_by_one_and_are_bound_as_well() {
    let folder = folder(
        "const cat = (...files) => spawnSync('cat', files, { encoding: 'utf8' });
  await attempt('own', () => cat('own/data.txt').stdout);
  await attempt('outside', () => cat('out/secret.txt').stdout);
  await attempt('keys', () => cat('.env', '/proc/self/environ', `/proc/${process.pid}/environ`).stdout);
  await attempt('other', () => execFileSync('env', { encoding: 'utf8' }));
  await attempt('path', () => execFileSync('cat', { env: { PATH: `${process.cwd()}/own` } }));
  await attempt('library', () => execFileSync('cat', ['own/data.txt'], { env: { LD_PRELOAD: 'own/evil.so' } }));
  await attempt('shell', () => execFileSync('echo hi', { shell: true }));",
    );
    let none = lines(&folder, "--restrict");
    assert!(none.iter().all(|line| line.ends_with("PermissionError --allow-run")), "{none:?}");
    let cat = lines(&folder, "--allow-run=cat");
    let refused = ["other", "library", "shell"].map(|name| format!("{name}: PermissionError --allow-run"));
    assert_eq!(cat[..1], ["own: own data"]);
    assert_eq!(cat[3..], [refused[0].as_str(), "path:", &refused[1], &refused[2]]);
    if cfg!(target_os = "linux") {
        assert_eq!(cat[1..3], ["outside:", "keys:"], "landlock holds for programs");
    }
}

/// A server that redirects every request.
fn redirecting(to: &str) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let answer = format!("HTTP/1.1 302 Found\r\nlocation: {to}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let _ = stream.read(&mut [0; 4096]);
            let _ = stream.write_all(answer.as_bytes());
        }
    });
    port
}

#[test]
fn hosts_and_ports_are_given_one_by_one_redirects_included() {
    let other = redirecting("http://127.0.0.1/");
    let port = redirecting(&format!("http://127.0.0.1:{other}/"));
    let folder = folder(&format!(
        "await attempt('fetch', async () => (await fetch('http://127.0.0.1:{port}/', {{ redirect: 'manual' }})).status);
  await attempt('redirect', async () => (await fetch('http://127.0.0.1:{port}/')).status);
  await attempt('number', async () => (await fetch('http://2130706433:{other}/')).status);
  await attempt('connect', () => new Promise((done, no) => net.connect({other}, '127.0.0.1', () => done('connected')).on('error', no)));
  await attempt('lookup', () => dns.promises.lookup('localhost').then((found) => found.address));
  await attempt('listen', () => new Promise((done, no) => net.createServer().on('error', no).listen(0, '127.0.0.1', done)));"
    ));
    let none = lines(&folder, "--restrict");
    assert!(none.iter().all(|line| line.ends_with("PermissionError --allow-net")), "{none:?}");
    assert_eq!(none.len(), 6, "{none:?}");
    let one = lines(&folder, &format!("--allow-net=127.0.0.1:{port}"));
    assert_eq!(one[0], "fetch: 302");
    assert!(one[1..].iter().all(|line| line.ends_with("PermissionError --allow-net")), "{one:?}");
}

#[test]
fn options_without_a_meaning_are_refused() {
    let folder = folder("");
    for (options, problem) in [
        ("--allow-read=", "expected a name behind ="),
        ("--allow-net=https://example.org", "a host is meant"),
        ("--allow-run=no-such-program-at-all", "there is no such program"),
    ] {
        let outcome = tried(&folder, options);
        assert_eq!(outcome.code, 2, "{outcome:?}");
        assert!(outcome.stderr.contains(problem), "{outcome:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_folder_that_programs_do_not_get_as_a_whole_is_named() {
    let folder = folder("");
    folder.write("made/note.txt", "");
    folder.write("kept/.mcp.json", "{}");
    let outcome = tried(&folder, "--allow-run=cat --allow-write=.,made,kept");
    let warned: Vec<_> =
        outcome.stderr.lines().filter(|line| line.contains("cannot create, move or remove files")).collect();
    assert_eq!((outcome.code, warned.len()), (0, 2), "{outcome:?}");
    assert!(warned[1].contains("/kept itself"), "{outcome:?}");
    assert_eq!(tried(&folder, "--allow-write=.").stderr, "");
}

/// As on an older kernel, where nothing keeps programs from files with keys.
#[cfg(target_os = "linux")]
#[test]
fn programs_are_refused_where_the_kernel_does_not_hold_them() {
    use seccompiler::{BpfProgram, SeccompAction, SeccompFilter};
    const CREATE_RULESET: i64 = 444;
    let folder = folder("await attempt('read', () => fs.readFileSync('own/data.txt', 'utf8'));");
    let run = || (tried(&folder, "--allow-run=cat"), tried(&folder, "--restrict"));
    let missing = SeccompAction::Errno(libc::ENOSYS as u32);
    let arch = std::env::consts::ARCH.try_into().unwrap();
    let filter = SeccompFilter::new([(CREATE_RULESET, vec![])].into(), SeccompAction::Allow, missing, arch).unwrap();
    let filter: BpfProgram = filter.try_into().unwrap();
    // A seccomp filter applies to the thread and to the processes that it starts.
    let confined = || {
        seccompiler::apply_filter(&filter).unwrap();
        run()
    };
    let (refused, without) = thread::scope(|scope| scope.spawn(confined).join().unwrap());
    assert_eq!(refused.code, 2, "{refused:?}");
    assert!(refused.stderr.contains("--allow-run: ") && refused.stderr.contains("Linux 5.13"), "{refused:?}");
    assert_eq!((without.code, without.stdout.as_str()), (0, "read: own data\nDone.\n"), "{without:?}");
    assert_eq!(run().0.code, 0);
}

/// Links change while files are opened: the file that was checked is not the one that is opened.
#[cfg(target_os = "linux")]
#[test]
fn a_link_that_changes_after_the_check_is_refused() {
    let folder = folder(
        "fs.writeFileSync('own/good.txt', 'good');
  let seen = '';
  for (let round = 0; round < 300; round += 1) {
    fs.rmSync('own/swap', { force: true });
    fs.symlinkSync('good.txt', 'own/swap');
    const reading = fs.promises.readFile('own/swap', 'utf8').catch((error) => error.code);
    try { fs.renameSync('own/link', 'own/swap'); fs.renameSync('own/swap', 'own/link'); } catch {}
    seen += await reading;
  }
  await attempt('seen', () => seen.includes('outside'));",
    );
    assert_eq!(lines(&folder, "--allow-write=own"), ["seen: false"]);
}

#[test]
fn models_work_and_code_runs_in_a_restricted_run() {
    let source = "
export const config = { model: 'mock' };
export const mock = [{ type: 'tool-call', toolName: 'runToolCode', args: { code: 'return await twice({ n: 21 });' } }, { type: 'text', text: 'Done.' }];
export default async ({ defFunction, $ }) => {
  const n = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
  defFunction('twice', 'Doubles', n, ({ n }) => { console.log(`${n * 2}`); return n * 2; });
  $`go`;
};";
    let outcome = Folder::of(source).run("run --restrict p.lmt.mjs");
    assert_eq!((outcome.code, outcome.stdout.as_str(), outcome.stderr.as_str()), (0, "42\nDone.\n", ""));
}
