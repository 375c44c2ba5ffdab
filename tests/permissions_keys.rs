//! Files with keys stay shut to a restricted prompt file and to the programs it starts, whatever becomes of their names
//! (docs/permissions.md, "Keys"), through the binary.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "tests fail that way")]

mod permission_support;
mod run_support;

use permission_support::{folder, lines, tried};

const KEY: &str = "sk-of-env-file-1234567890";

/// Files that hold keys, in folders that may be written: by `--env-file`, by a cloud's variable, by name below.
fn with_keys(body: &str) -> run_support::Folder {
    let folder = folder(body);
    folder.write("sub/keys.txt", &format!("OPENAI_API_KEY={KEY}\n"));
    folder.write("deep/down/.env", &format!("OTHER_API_KEY={KEY}\n"));
    folder.write("free/note.txt", "a note");
    folder
}

const EVERYTHING: &str = "--env-file sub/keys.txt --allow-read --allow-write --allow-run";

#[test]
fn a_folder_with_keys_is_not_moved_removed_or_linked() {
    let folder = with_keys(
        "await attempt('read', () => fs.readFileSync('sub/keys.txt', 'utf8'));
  await attempt('move', () => fs.renameSync('sub', 'moved'));
  await attempt('replace', () => fs.renameSync('free', 'sub'));
  await attempt('remove', () => fs.rmSync('sub', { recursive: true }));
  await attempt('move later', () => fs.promises.rename('sub', 'moved'));
  await attempt('hard link', () => fs.linkSync('sub/keys.txt', 'own/keys.txt'));
  await attempt('copy all', () => fs.cpSync('sub', 'copied', { recursive: true }));
  await attempt('copy', () => fs.copyFileSync('sub/keys.txt', 'copied.txt'));
  await attempt('cut off', () => fs.truncateSync('sub/keys.txt'));
  await attempt('open to write', () => fs.openSync('sub/keys.txt', 'w'));
  await attempt('import', async () => (await import('../sub/keys.txt', { with: { type: 'text' } })).default);
  await attempt('deep', () => fs.readFileSync('deep/down/.env', 'utf8'));
  await attempt('moved above', () => { fs.renameSync('deep', 'moved'); return fs.readFileSync('moved/down/.env', 'utf8'); });
  await attempt('remove above', () => fs.rmSync('deep', { recursive: true }));
  await attempt('remove one by one', () => fs.unlinkSync('deep/down/.env'));
  fs.symlinkSync('../sub', 'own/to-sub');",
    );
    let all = lines(&folder, EVERYTHING);
    assert!(all.iter().all(|line| line.ends_with("PermissionError never")), "{all:?}");
    assert_eq!(all.len(), 15, "{all:?}");
    assert!(folder.path("deep/down/.env").exists());
    assert!(std::fs::read_to_string(folder.path("sub/keys.txt")).unwrap().contains(KEY));
}

#[test]
fn a_link_to_keys_that_was_there_before_opens_nothing() {
    let folder = with_keys(
        "await attempt('hard link', () => fs.readFileSync('own/hard.txt', 'utf8'));
  await attempt('soft link', () => fs.readFileSync('own/soft.txt', 'utf8'));
  await attempt('env', () => fs.readFileSync('own/env.txt', 'utf8'));
  await attempt('require', () => require('./hard.txt'));
  await attempt('import', async () => (await import('./hard.txt', { with: { type: 'text' } })).default);
  await attempt('stream', async () => { let all = ''; for await (const part of fs.createReadStream('own/hard.txt')) all += part; return all; });
  await attempt('blob', async () => (await fs.openAsBlob('own/hard.txt')).text());",
    );
    std::fs::hard_link(folder.path("sub/keys.txt"), folder.path("own/hard.txt")).unwrap();
    std::fs::hard_link(folder.path(".env"), folder.path("own/env.txt")).unwrap();
    std::os::unix::fs::symlink("../sub/keys.txt", folder.path("own/soft.txt")).unwrap();
    for options in ["--env-file sub/keys.txt --restrict", EVERYTHING] {
        let all = lines(&folder, options);
        assert!(all.iter().all(|line| line.ends_with("PermissionError never")), "{all:?}");
        assert_eq!(all.len(), 7, "{all:?}");
    }
}

/// A link is changed behind the check, so that the same path leads to keys. Nothing but what is opened can tell.
#[test]
fn a_link_that_changes_behind_the_check_opens_no_keys() {
    let folder = with_keys(
        "fs.mkdirSync('own/good'); fs.writeFileSync('own/good/keys.txt', 'good');
  fs.symlinkSync('good', 'own/swap');
  let seen = ''; let swaps = 0;
  for (let round = 0; round < 300; round += 1) {
    const reading = [
      fs.promises.readFile('own/swap/keys.txt', 'utf8'),
      fs.promises.copyFile('own/swap/keys.txt', 'own/copy.txt').then(() => fs.readFileSync('own/copy.txt', 'utf8')),
      fs.promises.open('own/swap/keys.txt').then(async (file) => { const text = await file.readFile('utf8'); await file.close(); return text; }),
      fs.promises.truncate('own/swap/keys.txt', 4).then(() => ''),
      fs.promises.writeFile('own/swap/keys.txt', 'good').then(() => ''),
    ];
    fs.renameSync('own/swap', 'own/kept'); fs.renameSync('own/to-keys', 'own/swap'); swaps += 1;
    for (const { value, reason } of await Promise.allSettled(reading)) seen += value ?? reason.code;
    fs.renameSync('own/swap', 'own/to-keys'); fs.renameSync('own/kept', 'own/swap');
  }
  await attempt('swaps', () => swaps);
  await attempt('denied', () => seen.includes('EACCES'));
  await attempt('seen', () => seen.includes('KEY'));",
    );
    std::os::unix::fs::symlink("../sub", folder.path("own/to-keys")).unwrap();
    let options = "--env-file sub/keys.txt --allow-read --allow-write";
    assert_eq!(lines(&folder, options), ["swaps: 300", "denied: true", "seen: false"]);
    assert_eq!(std::fs::read_to_string(folder.path("sub/keys.txt")).unwrap(), format!("OPENAI_API_KEY={KEY}\n"));
}

/// What programs do nobody checks but the kernel.
#[cfg(target_os = "linux")]
#[test]
fn programs_neither_read_keys_nor_move_them_to_where_they_could() {
    let folder = with_keys(
        "const run = (...words) => { const { stdout, status } = spawnSync(words[0], words.slice(1), { encoding: 'utf8' }); return `${status === 0} ${stdout.trim()}`; };
  await attempt('note', () => run('cat', 'free/note.txt'));
  await attempt('env', () => run('cat', '.env'));
  await attempt('deep', () => run('cat', 'deep/down/.env'));
  await attempt('keys', () => run('cat', 'sub/keys.txt'));
  await attempt('hard link', () => run('ln', 'sub/keys.txt', 'free/keys.txt'));
  await attempt('copy', () => run('cp', 'sub/keys.txt', 'free/keys.txt'));
  run('mv', 'sub/keys.txt', 'free/keys.txt');
  run('mv', 'sub/keys.txt', 'sub/other.txt');
  run('mv', 'sub', 'moved');
  run('mv', 'moved', 'free/moved');
  run('mv', '.env', 'env.txt');
  run('mv', 'deep/down/.env', 'deep/down/env.txt');
  run('mv', 'deep', 'free/deep');
  await attempt('after all', () => run('sh', '-c', 'cat .env env.txt */*.txt */*/*.txt */*/.env | grep -c KEY').split(' ').at(-1));
  await attempt('natives', () => { let all = ''; for (const name of fs.readdirSync('.', { recursive: true })) try { all += fs.readFileSync(name, 'utf8'); } catch {} return /sk-o[f]/.test(all); });",
    );
    let all = lines(&folder, EVERYTHING);
    let shut = ["env", "deep", "keys", "hard link", "copy"].map(|name| format!("{name}: false"));
    assert_eq!(all[0], "note: true a note");
    assert_eq!(all[1..6], shut);
    assert_eq!(all[6..], ["after all: 0", "natives: false"]);
}

#[cfg(target_os = "linux")]
#[test]
fn no_program_is_started_once_keys_have_another_name() {
    let folder = with_keys(
        "const run = (script) => { const { stdout, error, status } = spawnSync('sh', ['-c', script], { encoding: 'utf8' }); if (error) throw error; return `${status} ${stdout.trim()}`; };
  await attempt('before', () => run('echo fine'));
  await attempt('link', () => run('mkdir new; ln .env new/x; ls new'));
  await attempt('read', () => run('cat new/x; cp new/x new/y'));
  await attempt('natives', () => fs.readFileSync('new/x', 'utf8'));",
    );
    let all = lines(&folder, EVERYTHING);
    assert_eq!(all[..2], ["before: 0 fine", "link: 0 x"], "the link is made, or this shows nothing");
    assert!(all[2..].iter().all(|line| line.ends_with("PermissionError never")), "{all:?}");
}

#[test]
fn the_journal_is_not_the_scripts() {
    let folder = folder(
        "await attempt('read', () => fs.readFileSync('runs.db').length);
  await attempt('write', () => fs.appendFileSync('runs.db', 'x'));
  await attempt('log', () => fs.readFileSync('runs.db-wal').length);
  await attempt('remove', () => fs.rmSync('runs.db'));
  await attempt('make', () => fs.writeFileSync('runs.db-journal', ''));
  await attempt('beside', () => fs.writeFileSync('other.db', ''));",
    );
    let mut all = lines(&folder, "--journal=runs.db --allow-read --allow-write");
    assert_eq!(all.pop().as_deref(), Some("beside: undefined"));
    assert!(all.len() == 5 && all.iter().all(|line| line.ends_with("PermissionError never")), "{all:?}");
}

#[test]
fn a_variable_that_holds_a_key_among_other_words_is_not_shown() {
    let folder = folder(
        "await attempt('header', () => process.env.HEADER);
  await attempt('listed', () => Object.keys(process.env).includes('HEADER'));",
    );
    let mut command = folder.command("run --allow-env own/p.lmt.mjs");
    command.env("ANTHROPIC_API_KEY", KEY).env("HEADER", format!("Bearer {KEY}"));
    let ended = run_support::Ended::from(command.output().unwrap());
    assert!(ended.stdout.starts_with("header: PermissionError never\nlisted: false\n"), "{ended:?}");
    assert_eq!(tried(&folder, "--restrict").code, 0);
}
