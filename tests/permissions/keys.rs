//! Keys that a restricted prompt file could reach by existing links, changing links, variables, and cloud credentials
//! (docs/reference/permissions.md, "Keys"). The table of ways and files is in `files.rs`.

use crate::{
    helpers::{folder, lines, tried},
    support::{Folder, Outcome},
};

const KEY: &str = "sk-of-env-file-1234567890";

/// Key files in writable folders: named by `--env-file`, by a cloud's variable, and by their usual name.
fn with_keys(body: &str) -> Folder {
    let folder = folder(body);
    folder.write("sub/keys.txt", &format!("OPENAI_API_KEY={KEY}\n"));
    folder.write("deep/down/.env", &format!("OTHER_API_KEY={KEY}\n"));
    folder.write("free/note.txt", "a note");
    folder
}

const EVERYTHING: &str = "--env-file sub/keys.txt --allow-read --allow-write --allow-run";

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

/// A link changes after the check, so that the same path leads to keys. Only a check of the opened file detects that.
#[test]
fn a_link_that_changes_after_the_check_opens_no_keys() {
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

#[test]
fn a_variable_that_contains_a_key_is_hidden() {
    let folder = folder(
        "await attempt('header', () => process.env.HEADER);
  await attempt('listed', () => Object.keys(process.env).includes('HEADER'));",
    );
    let mut command = folder.command("run --allow-env own/p.lmt.mjs");
    command.env("ANTHROPIC_API_KEY", KEY).env("HEADER", format!("Bearer {KEY}"));
    let outcome = Outcome::of(&mut command);
    assert!(outcome.stdout.starts_with("header: PermissionError never\nlisted: false\n"), "{outcome:?}");
    assert_eq!(tried(&folder, "--restrict").code, 0);
}
