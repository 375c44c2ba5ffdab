//! When runs are recorded and in which file: `--journal`, `config.journal`, an existing journal, `LMTHING_JOURNAL`;
//! and files that are not journals.

use std::fs;

use crate::{
    helpers::{USUAL, each, failed, hello, ran, runs},
    support::{Folder, Outcome},
};

fn folder(config: &str) -> Folder {
    Folder::of(&hello(config))
}

#[test]
fn nothing_is_recorded_by_default() {
    let folder = folder("");
    ran(&folder, "run p.lmt.mjs");
    let outcome = Outcome::of(folder.command("run p.lmt.mjs").env("LMTHING_JOURNAL", "j.db"));
    assert_eq!(outcome.code, 0, "{outcome:?}");
    assert!(!folder.path(".lmthing").exists() && !folder.path("j.db").exists());
}

#[test]
fn an_option_or_the_config_records_a_run() {
    for (config, arguments) in [("", "run --journal p.lmt.mjs"), ("journal: true", "run p.lmt.mjs")] {
        let folder = folder(config);
        let outcome = ran(&folder, arguments);
        assert_eq!((outcome.stdout.as_str(), outcome.stderr.as_str()), ("Hello\n", ""), "{arguments}");
        let runs = runs(&folder, "");
        assert_eq!(each(&runs, "status"), ["done"]);
        assert_eq!(runs[0]["file"], folder.path("p.lmt.mjs").canonicalize().unwrap().to_str().unwrap());
        assert_eq!(
            (&runs[0]["steps"], &runs[0]["cost"], &runs[0]["model"]),
            (&1.into(), &0.0.into(), &"mock:mock".into())
        );
        assert_eq!(fs::read_to_string(folder.path(".lmthing/.gitignore")).unwrap(), "*\n");
    }
}

#[cfg(unix)]
#[test]
fn only_the_owner_reads_it() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder("");
    // Also an empty file that was created beforehand.
    fs::write(folder.path("empty.db"), "").unwrap();
    for name in [USUAL, "empty.db", "j.db"] {
        let option = if name == USUAL { String::new() } else { format!("={name}") };
        ran(&folder, &format!("run --journal{option} p.lmt.mjs"));
        let files = crate::helpers::files(&folder.path(name));
        assert_eq!(files.len(), 3, "{files:?}");
        for file in files {
            assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600, "{file:?}");
        }
    }
}

#[test]
fn a_journal_that_is_there_is_written_to() {
    let folder = folder("");
    ran(&folder, "run --journal p.lmt.mjs");
    ran(&folder, "run p.lmt.mjs");
    // The nearest journal upwards is used, from any folder below.
    fs::create_dir_all(folder.path("a/b")).unwrap();
    let status = folder.command("run ../../p.lmt.mjs").current_dir(folder.path("a/b")).status().unwrap();
    assert!(status.success() && !folder.path("a/b/.lmthing").exists());
    assert_eq!(runs(&folder, "").len(), 3);
    // Not if the file says `journal: false`; the command line overrides that.
    folder.write("p.lmt.mjs", &hello("journal: false"));
    ran(&folder, "run p.lmt.mjs");
    assert_eq!(runs(&folder, "").len(), 3);
    ran(&folder, "run --journal p.lmt.mjs");
    assert_eq!(runs(&folder, "").len(), 4);
}

#[test]
fn a_path_may_be_named() {
    let folder = folder("");
    ran(&folder, "run --journal=one.db p.lmt.mjs");
    let of_variable = |arguments: &str| {
        let mut command = folder.command(arguments);
        Outcome::of(command.env("LMTHING_JOURNAL", "two.db"))
    };
    assert_eq!(of_variable("run --journal p.lmt.mjs").code, 0);
    assert_eq!(of_variable("run --journal=one.db p.lmt.mjs").code, 0);
    assert_eq!(runs(&folder, "--journal=one.db").len(), 2);
    assert_eq!(of_variable("runs --json").object().as_array().unwrap().len(), 1);
    // A separate argument after the option is the prompt file.
    failed(&folder.run("run --journal three.db p.lmt.mjs"), 1, &["three.db"]);
    assert!(!folder.path(".lmthing").exists());
}

#[test]
fn config_journal_must_be_a_boolean() {
    let folder = folder("journal: 'j.db'");
    failed(&folder.run("run p.lmt.mjs"), 1, &["config.journal must be true or false", "string"]);
    let checked = folder.run("check p.lmt.mjs");
    assert_eq!(checked.code, 1, "{checked:?}");
    assert!(checked.stdout.contains("boolean") || checked.stdout.contains("true or false"), "{checked:?}");
    folder.write("p.lmt.mjs", &hello("journal: true"));
    ran(&folder, "check p.lmt.mjs");
    assert!(!folder.path(".lmthing").exists(), "a check writes nothing down");
}

#[test]
fn help_of_a_file_is_not_recorded() {
    let source = format!("{}export const description = 'Says hello.';", hello(""));
    let folder = Folder::of(&source);
    ran(&folder, "run --journal p.lmt.mjs --help");
    assert_eq!(runs(&folder, "").len(), 0);
    // A file that does not load has an entry.
    folder.write("p.lmt.mjs", "export default (");
    assert_eq!(folder.run("run --journal p.lmt.mjs").code, 1);
    let runs = runs(&folder, "");
    assert_eq!((each(&runs, "status"), &runs[0]["error"]["code"]), (vec!["failed".to_owned()], &1.into()));
}

/// Files that are not journals, with parts of the error.
fn wrong_files(folder: &Folder) -> Vec<(&'static str, Vec<&'static str>)> {
    folder.write(
        "text.db",
        "This is a diary, and has been kept for many years; nobody is to write anything else in it. ",
    );
    fs::create_dir(folder.path("folder.db")).unwrap();
    ran(folder, "run --journal=newer.db p.lmt.mjs");
    ran(folder, "run --journal=damaged.db p.lmt.mjs");
    ran(folder, "run --journal=short.db p.lmt.mjs");
    let sql =
        |name: &str, sql: &str| rusqlite::Connection::open(folder.path(name)).unwrap().execute_batch(sql).unwrap();
    sql("newer.db", "PRAGMA user_version = 2");
    sql("other.db", "CREATE TABLE songs (name TEXT); INSERT INTO songs VALUES ('one')");
    sql("damaged.db", "PRAGMA wal_checkpoint(TRUNCATE)");
    sql("short.db", "PRAGMA wal_checkpoint(TRUNCATE)");
    let mut damaged = fs::read(folder.path("damaged.db")).unwrap();
    damaged[100..8000].fill(0xa5);
    fs::write(folder.path("damaged.db"), damaged).unwrap();
    let short = fs::read(folder.path("short.db")).unwrap();
    fs::write(folder.path("short.db"), &short[..60]).unwrap();
    vec![
        ("text.db", vec!["text.db is no journal", "not a SQLite database", "--journal=PATH"]),
        ("folder.db", vec!["folder.db", "it is a directory"]),
        ("newer.db", vec!["newer.db has format 2", "knows format 1", "update lmthing"]),
        ("other.db", vec!["other.db is no journal", "another program"]),
        ("damaged.db", vec!["damaged.db is damaged", "move it away"]),
        ("short.db", vec!["short.db is damaged", "move it away"]),
    ]
}

#[test]
fn files_that_are_not_journals_are_refused_and_unchanged() {
    let folder = folder("");
    for (name, words) in wrong_files(&folder) {
        let read = || fs::read(folder.path(name)).unwrap_or_default();
        let before = read();
        failed(&folder.run(&format!("run --journal={name} p.lmt.mjs")), 1, &words);
        let json = folder.run(&format!("run --journal={name} -f json p.lmt.mjs"));
        assert_eq!((json.code, &json.object()["error"]["kind"]), (1, &"journal".into()), "{json:?}");
        for command in
            ["runs", "runs --json", "runs show last", "runs export last", "runs prune --older-than 1d", "resume last"]
        {
            failed(&folder.run(&format!("{command} --journal={name}")), 1, &words);
        }
        // The journal was not asked for explicitly: the run continues without it.
        let outcome = folder.command("run p.lmt.mjs").env("LMTHING_JOURNAL", name).output().unwrap();
        let outcome = Outcome::from(outcome);
        assert_eq!((outcome.code, outcome.stdout.as_str()), (0, "Hello\n"), "{name}: {outcome:?}");
        assert_eq!(outcome.stderr.matches("Warning: ").count(), 1, "{name}: {outcome:?}");
        assert!(outcome.stderr.contains(words[0]), "{name}: {outcome:?}");
        assert!(before == read(), "{name} has changed");
    }
}

#[test]
fn an_unwritable_journal_ends_a_run_before_its_first_request() {
    let source = "export const config = { model: 'lab:m', journal: true };
export default ({ $ }) => { $`go`; };";
    let folder = Folder::of(source);
    fs::write(folder.path(".lmthing"), "a file in the place of the folder").unwrap();
    // A request would end with code 3.
    let run = |arguments: &str| Outcome::of(folder.command(arguments).env("LAB_API_BASE", "http://127.0.0.1:1"));
    failed(&run("run p.lmt.mjs"), 1, &[".lmthing/journal.db cannot be written"]);
    failed(&run("run --journal p.lmt.mjs"), 1, &[".lmthing/journal.db cannot be written"]);
    failed(&run("run --journal=none/j.db p.lmt.mjs"), 1, &["none/j.db", "no such folder", "make the folder"]);
    failed(&run("run --journal=/proc/j.db p.lmt.mjs"), 1, &["/proc/j.db"]);
}

#[cfg(unix)]
#[test]
fn a_full_disk_ends_the_run_and_what_was_before_can_be_read() {
    let source = "export const config = { model: 'mock', options: { maxSteps: 400 } };
export const mock = [...Array.from({ length: 300 }, () => ({ type: 'tool-call', toolName: 't', args: {} })), { type: 'text', text: 'end' }];
export default ({ $, defTool }) => {
  defTool('t', 't', { type: 'object' }, () => 'x'.repeat(2000));
  $`go`;
};";
    let folder = Folder::of(source);
    ran(&folder, "run --journal p.lmt.mjs");
    folder.run("runs prune --older-than 0s");
    // No file may grow beyond 300 KB: writes fail with EFBIG instead of a signal.
    let program = env!("CARGO_BIN_EXE_lmthing");
    let shell = format!("trap '' XFSZ; ulimit -f 300; exec {program} run -f json --journal p.lmt.mjs");
    let mut command = std::process::Command::new("bash");
    let outcome = Outcome::of(command.args(["-c", &shell]).current_dir(folder.path("")));
    assert_eq!(outcome.code, 1, "{outcome:?}");
    let error = &outcome.object()["error"];
    assert_eq!(error["kind"], "journal", "{outcome:?}");
    assert!(error["message"].as_str().unwrap().contains("journal.db cannot be written"), "{error}");
    let runs = runs(&folder, "");
    let last = &runs[0];
    assert_eq!((runs.len(), last["status"].as_str()), (1, Some("interrupted")), "{runs:?}");
    let steps = last["steps"].as_u64().unwrap();
    assert!((5..299).contains(&steps), "{last}");
    let events = ran(&folder, "runs export last").events();
    assert!(events.len() as u64 > 3 * steps, "{}", events.len());
    // With enough space the run can be resumed.
    assert_eq!(ran(&folder, "resume last").stdout, "end\n");
}

#[test]
fn a_journal_that_is_taken_away_ends_the_run() {
    let source = "import fs from 'node:fs';
export const config = { model: 'mock' };
export const mock = [{ type: 'tool-call', toolName: 't', args: {} }, { type: 'text', text: 'end' }];
export default ({ $, defTool }) => {
  defTool('t', 't', { type: 'object' }, () => { fs.renameSync('j.db', 'k.db'); return 'gone'; });
  $`go`;
};";
    let folder = Folder::of(source);
    let outcome = folder.run("run --journal=j.db p.lmt.mjs");
    assert_eq!(outcome.code, 1, "{outcome:?}");
    assert!(outcome.stderr.contains("j.db cannot be written: the file was taken away"), "{outcome:?}");
}

#[cfg(unix)]
#[test]
fn a_pipe_is_no_journal_and_is_not_waited_for() {
    let folder = folder("");
    let made = std::process::Command::new("mkfifo").arg(folder.path("f.db")).status().unwrap();
    assert!(made.success());
    let outcome = Outcome::of(&mut folder.command("run --journal=f.db p.lmt.mjs"));
    failed(&outcome, 1, &["f.db", "not a regular file"]);
}

#[test]
fn a_path_for_journal_needs_an_equals_sign() {
    let folder = folder("");
    let outcome = folder.run("run --journal j.db p.lmt.mjs");
    failed(&outcome, 1, &["cannot find the file j.db", "--journal=j.db"]);
}
