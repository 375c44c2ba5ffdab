//! Files that stay closed to a restricted prompt file whatever it is allowed: a table of ways to access a file, for
//! scripts and for programs, against a table of protected files (docs/reference/permissions.md, "Files that stay
//! shut").

use std::{fs, path::Path, process::Command};

use crate::{
    helpers::TRY,
    support::{Folder, Outcome},
};

const KEY: &str = "sk-of-env-file-1234567890";

/// A protected file.
struct Row {
    path: &'static str,
    /// `None` if the file does not exist.
    content: Option<&'static str>,
    /// Whether a file with every read permission may read it.
    is_readable: bool,
}

const fn row(path: &'static str, content: Option<&'static str>, is_readable: bool) -> Row {
    Row { path, content, is_readable }
}

const ENV: Option<&str> = Some("OPENAI_API_KEY=sk-of-env-file-1234567890\n");

/// A new protected file is one row here. `OPTIONS` and [`command`] name those that are not known by their name alone.
const FILES: &[Row] = &[
    row(".env", ENV, false),
    row("own/.env", None, false),
    row("sub/.ENV", ENV, false),
    row("sub/keys.txt", ENV, false),
    row("gone/keys.txt", None, false),
    row(".lmthing/journal.db", Some(KEY), false),
    row(".lmthing/worker.db-wal", None, false),
    row("own/.lmthing", None, true),
    row("sub/.lmthing/journal.db", Some(KEY), false),
    row("runs.db", Some(""), false),
    row("runs.db-wal", None, false),
    row("rec.json", Some("{}"), true),
    row("rec.json.partial", None, true),
    row("variable.db", None, false),
    row(".mcp.json", None, true),
    row("own/.mcp.json", Some("{}"), true),
    row("prices.json", Some("{}"), true),
    row("mock.json", Some(r#"[{"type":"text","text":"Done."}]"#), true),
    row("own/p.recording.json", None, true),
    row("sub/x.test.recording.json", Some("{}"), true),
    row("out.jsonl.lmthing", Some("{}"), true),
    row("tsconfig.json", None, true),
    row("own/tsconfig.json", Some("{}"), true),
    row("own/jsconfig.json", None, true),
    row("home/.aws/credentials", ENV, false),
    // The command line refers to it by the link `linked`.
    row("real/mcp.json", Some("{}"), true),
];

const OPTIONS: &str = "--env-file sub/keys.txt --env-file gone/keys.txt --journal=runs.db --mcp-config linked/mcp.json --mock mock.json --record rec.json";

/// A folder with the protected files, and with `evil`, which holds replacements for them.
fn place(body: &str) -> Folder {
    let names: Vec<_> = FILES.iter().map(|row| (row.path, row.is_readable)).collect();
    let prelude = format!("const FILES = {};\n{body}", serde_json::to_string(&names).unwrap());
    let folder = Folder::new(&[
        ("own/p.lmt.mjs", &TRY.replace("BODY", &prelude)),
        ("evil/file", "evil"),
        ("free/note.txt", "a note"),
    ]);
    for row in FILES {
        if let Some(content) = row.content {
            folder.write(row.path, content);
        }
    }
    std::os::unix::fs::symlink("real", folder.path("linked")).unwrap();
    // An empty folder is what a run without another reads; a missing one is an error of the command line.
    folder.write("gone/keys.txt", "");
    for name in [".lmthing/journal.db", ".env", "x/.mcp.json"] {
        folder.write(&format!("evil/folder/{name}"), "evil");
    }
    folder
}

fn command(folder: &Folder, options: &str) -> Command {
    let mut command = folder.command(&format!("run {OPTIONS} {options} own/p.lmt.mjs"));
    command.env("HOME", folder.path("home")).env("LMTHING_JOURNAL", "variable.db").env("LMTHING_PRICES", "prices.json");
    command.env_remove("OPENAI_API_KEY");
    command
}

/// The contents of the protected files; only existence for the journal in use.
fn state(folder: &Folder) -> Vec<(String, String)> {
    let look = |path: &str| match fs::symlink_metadata(folder.path(path)) {
        Err(_) => "nothing".to_owned(),
        Ok(found) if !found.is_file() => format!("{:?}", found.file_type()),
        Ok(_) if path.starts_with("runs.db") || path.starts_with("rec.json") => "a file".to_owned(),
        Ok(_) => fs::read_to_string(folder.path(path)).unwrap(),
    };
    FILES.iter().map(|row| (row.path.to_owned(), look(row.path))).collect()
}

/// Runs the file, and asserts that all protected files are unchanged.
fn run(folder: &Folder, options: &str) -> Vec<String> {
    let before = state(folder);
    let outcome = Outcome::of(&mut command(folder, options));
    assert_eq!(outcome.code, 0, "{outcome:?}");
    assert!(!format!("{outcome:?}").contains(KEY), "{outcome:?}");
    // lmthing writes these itself.
    let is_compared = |(path, _): &(String, String)| path != "runs.db-wal" && path != "rec.json.partial";
    let (before, after) = (before.into_iter().filter(is_compared), state(folder).into_iter().filter(is_compared));
    assert_eq!(after.collect::<Vec<_>>(), before.collect::<Vec<_>>(), "{outcome:?}");
    outcome.stdout.lines().map(str::to_owned).filter(|line| line != "Done.").collect()
}

/// JavaScript functions of a path, each of which changes the file or what is at its path.
const CHANGES: &[(&str, &str)] = &[
    ("write", "(at) => fs.writeFileSync(at, 'evil')"),
    ("append", "(at) => fs.promises.appendFile(at, 'evil')"),
    (
        "stream",
        "(at) => new Promise((done, no) => fs.createWriteStream(at).on('error', no).on('finish', done).end('evil'))",
    ),
    ("open to change", "(at) => fs.openSync(at, 'r+')"),
    ("cut off", "(at) => fs.truncateSync(at)"),
    ("copy", "(at) => fs.copyFileSync('evil/file', at)"),
    ("copy a folder", "(at) => fs.cpSync('evil/folder', at, { recursive: true, force: true })"),
    ("move onto", "(at) => fs.renameSync('evil/file', at)"),
    ("move a folder onto", "(at) => fs.promises.rename('evil/folder', at)"),
    ("move away", "(at) => fs.renameSync(at, 'away')"),
    ("hard link at", "(at) => fs.linkSync('evil/file', at)"),
    ("hard link of", "(at) => fs.linkSync(at, 'away')"),
    ("link at", "(at) => fs.symlinkSync(path.resolve('evil/folder'), at)"),
    ("link of", "(at) => fs.symlinkSync(path.resolve(at), 'away')"),
    ("make", "(at) => fs.mkdirSync(at)"),
    ("make below", "(at) => fs.mkdirSync(path.join(at, 'x', 'y'), { recursive: true })"),
    ("remove", "(at) => fs.rmSync(at, { recursive: true })"),
    ("unlink", "(at) => fs.promises.unlink(at)"),
    ("mode", "(at) => fs.chmodSync(at, 0o777)"),
    ("times", "(at) => fs.utimesSync(at, 1, 1)"),
    ("listen", "(at) => new Promise((done, no) => net.createServer().on('error', no).listen(path.resolve(at), done))"),
    (
        "by a link",
        "(at) => { fs.rmSync('way', { force: true }); fs.symlinkSync(path.dirname(path.resolve(at)), 'way'); fs.writeFileSync(`way/${path.basename(at)}`, 'evil'); }",
    ),
];

const READS: &[(&str, &str)] = &[
    ("read", "(at) => fs.readFileSync(at, 'utf8')"),
    ("open", "(at) => fs.openSync(at, 'r')"),
    (
        "stream",
        "async (at) => { let all = ''; for await (const part of fs.createReadStream(at)) all += part; return all; }",
    ),
    ("copy from", "(at) => fs.copyFileSync(at, 'copied')"),
    ("blob", "async (at) => (await fs.openAsBlob(at)).text()"),
    ("import", "async (at) => (await import(path.resolve(at), { with: { type: 'text' } })).default"),
    ("require", "(at) => require(path.resolve(at))"),
];

/// Tries each way on each file; prints those that some option would permit.
fn ways(table: &[(&str, &str)], files: &str) -> String {
    let ways: Vec<String> = table.iter().map(|(name, way)| format!("[{name:?}, {way}]")).collect();
    format!(
        "const path = (await import('node:path')).default;
  for (const [name, way] of [{}]) for (const [at] of {files}) {{
    let outcome = 'worked';
    try {{ await way(at); }} catch (error) {{ outcome = words(error); }}
    // Errors that name a file as a folder, or a folder as a file, are refusals too.
    if (!/^PermissionError never$|ENOTDIR|EISDIR/.test(outcome)) console.log(`${{name}} ${{at}}: ${{outcome}}`);
  }}
  console.log('all tried');",
        ways.join(", ")
    )
}

#[test]
fn a_script_changes_none_of_them() {
    let folder = place(&ways(CHANGES, "FILES"));
    assert_eq!(run(&folder, "--allow-read --allow-write --allow-run"), ["all tried"]);
    let folder = place(&ways(CHANGES, "FILES"));
    assert_eq!(run(&folder, "--allow-read=. --allow-write=."), ["all tried"]);
}

#[test]
fn a_script_reads_only_those_without_keys() {
    let folder = place(&ways(READS, "FILES.filter(([, isReadable]) => !isReadable)"));
    assert_eq!(run(&folder, "--allow-read --allow-write"), ["all tried"]);
    let folder = place("await attempt('servers', () => fs.readFileSync('own/.mcp.json', 'utf8'));");
    assert_eq!(run(&folder, "--restrict"), ["servers: {}"]);
}

#[test]
fn a_folder_above_them_is_not_moved_removed_or_put_in_place() {
    let folder = place(
        "const above = ['sub', 'home', 'home/.aws', '.lmthing', 'gone', 'linked'];
  for (const at of above) {
    await attempt('move', () => fs.renameSync(at, 'away'));
    await attempt('replace', () => fs.renameSync('evil/folder', at));
    await attempt('remove', () => fs.rmSync(at, { recursive: true }));
    await attempt('link', () => fs.symlinkSync('evil/folder', at));
  }
  await attempt('put in place', () => fs.renameSync('evil/folder', 'free/later'));",
    );
    let lines = run(&folder, "--allow-read --allow-write");
    assert!(lines.iter().all(|line| line.ends_with(": PermissionError never")), "{lines:?}");
    assert_eq!(lines.len(), 25);
}

/// Shell commands for a path.
#[cfg(target_os = "linux")]
const COMMANDS: &[&str] = &[
    "echo evil > $at",
    "echo evil >> $at",
    "echo evil | tee $at",
    "cp evil/file $at",
    "cp --remove-destination evil/file $at",
    "install -m 600 evil/file $at",
    "dd if=evil/file of=$at",
    "mv -f evil/file $at",
    "mv -T evil/folder $at",
    "mv -f $at away",
    "mv -f $at free/away",
    "ln -f evil/file $at",
    "ln $at free/linked",
    "ln -sfn $PWD/evil/folder $at",
    "mkdir -p $at",
    "mkfifo $at",
    "touch $at",
    "truncate -s 0 $at",
    "sed -i s/a/b/ $at",
    "rm -rf $at",
];

/// Only the kernel restricts what programs do.
#[cfg(target_os = "linux")]
#[test]
fn a_program_neither_reads_nor_changes_them() {
    let body = format!(
        "const sh = (script, at) => spawnSync('sh', ['-c', script], {{ encoding: 'utf8', env: {{ at }} }});
  for (const command of {COMMANDS:?}) for (const [at] of FILES) sh(command, at);
  for (const [at, isReadable] of FILES) if (!isReadable && sh('cat $at', at).stdout) console.log(`cat ${{at}} prints`);
  const found = sh('grep -rl sk-o[f] . ; cat /proc/*/environ | grep -c sk-o[f]', '').stdout;
  console.log(`found: ${{found.trim()}}`);
  await attempt('free', () => sh('echo fine > work/made && mv work/made work/moved && cat work/moved', '').stdout);
  await attempt('entry', () => sh('echo changed > plain.txt; cat plain.txt', '').stdout);"
    );
    for options in ["--allow-read --allow-write --allow-run", "--allow-read=. --allow-write=. --allow-run=sh"] {
        let folder = place(&body);
        folder.write("plain.txt", "plain");
        folder.write("work/note.txt", "");
        fs::hard_link(folder.path("sub/keys.txt"), folder.path("free/linked-before.txt")).unwrap();
        assert_eq!(run(&folder, options), ["found: 0", "free: fine", "entry: changed"], "{options}");
    }
}

/// A journal that a restricted file creates would be the nearest one, and resuming a run in it would execute anything.
#[test]
fn resume_needs_a_private_journal() {
    use std::os::unix::fs::PermissionsExt;
    let source = "export const config = { model: 'mock' };
export const mock = [{ type: 'tool-call', toolName: 'look', args: {} }, { type: 'text', text: 'The end.' }];
export default ({ defTool, $ }) => { defTool('look', 'l', { type: 'object' }, () => 'seen'); $`go`; };";
    let folder = Folder::of(source);
    assert_eq!(folder.run("run --journal --max-steps 1 p.lmt.mjs").code, 4);
    let mode = |path: &str| fs::metadata(folder.path(path)).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(".lmthing"), mode(".lmthing/journal.db")), (0o700, 0o600));
    let set = |path: &str, mode: u32| fs::set_permissions(folder.path(path), PermissionsExt::from_mode(mode)).unwrap();
    for (path, wrong, right, what) in [
        (".lmthing", 0o777, 0o700, "its folder may be changed"),
        (".lmthing/journal.db", 0o602, 0o600, "it may be changed"),
    ] {
        set(path, wrong);
        let refused = folder.run("resume last");
        assert_eq!(refused.code, 1, "{refused:?}");
        assert!(refused.stderr.contains(what) && refused.stderr.contains("chmod go-w"), "{refused:?}");
        set(path, right);
    }
    let resumed = folder.run("resume last");
    assert_eq!((resumed.code, resumed.stdout.as_str()), (0, "The end.\n"), "{resumed:?}");
    if rustix::process::geteuid().is_root() {
        std::os::unix::fs::chown(folder.path(".lmthing/journal.db"), Some(12345), None).unwrap();
        let refused = folder.run("resume last --from 0");
        assert!(refused.code == 1 && refused.stderr.contains("belongs to another user"), "{refused:?}");
    }
    assert!(Path::new(&folder.path(".lmthing/journal.db")).exists());
}
