//! A resumed run has the same restrictions (docs/reference/permissions.md).

use crate::support::{Outcome, resume::Project};

/// Kills itself in its second step, and makes attempts when it is resumed.
const TRIES: &str = "
    export const mock = [call('c0', 'break'), text('The end.')];
    const attempt = (name, work) => {
      try { console.log(`${name}: ${String(work()).trim()}`); } catch (error) { console.log(`${name}: ${error.name}`); }
    };
    export default ({ $, defTool }) => {
      defTool('break', 'b', none, () => { die('box/dead'); return 'ok'; });
      attempt('read', () => fs.readFileSync('out/note.txt', 'utf8'));
      attempt('outside', () => fs.readFileSync('far/note.txt', 'utf8'));
      attempt('box', () => fs.existsSync('box/dead'));
      attempt('env', () => process.env.PLAIN);
      $`go`;
    };";

/// A run that was killed, with these options.
fn killed(options: &str) -> Project {
    let project = Project::mocked(TRIES);
    let path = project.folder.path("");
    let prompt = std::fs::read_to_string(project.folder.path("p.lmt.mjs")).unwrap();
    project.folder.write("own/p.lmt.mjs", &prompt);
    ["out/note.txt", "far/note.txt", "elsewhere/out/note.txt"]
        .iter()
        .for_each(|name| project.folder.write(name, "a note"));
    project.folder.write("box/note.txt", "");
    let outcome = project.run(&format!("run --journal --allow-write=box --allow-run {options} own/p.lmt.mjs"));
    assert_eq!(outcome.code, -1, "{path:?}: {outcome:?}");
    project
}

fn tried(outcome: &Outcome) -> Vec<&str> {
    assert_eq!(outcome.code, 0, "{outcome:?}");
    // Once for each step.
    let mut lines: Vec<_> = outcome.stdout.lines().filter(|line| line.contains(": ")).collect();
    lines.dedup();
    lines.truncate(4);
    lines
}

#[test]
fn a_run_is_resumed_with_its_permissions() {
    let project = killed("--allow-read=out,box --allow-env=PLAIN");
    let mut command = project.command("resume last");
    let outcome = Outcome::of(command.env("PLAIN", "plain"));
    assert_eq!(tried(&outcome), ["read: a note", "outside: PermissionError", "box: true", "env: plain"]);
}

#[test]
fn it_is_resumed_with_other_permissions_if_given_and_never_without() {
    let project = killed("--allow-read=out");
    let outcome = project.run("resume last --allow-read=far");
    assert_eq!(tried(&outcome), ["read: PermissionError", "outside: a note", "box: false", "env: PermissionError"]);
}

#[test]
fn folders_of_options_are_relative_to_the_current_directory() {
    let project = killed("--allow-read=out");
    let mut command = project.command("resume last --journal ../.lmthing/journal.db --allow-read=out");
    let outcome = Outcome::of(command.current_dir(project.folder.path("elsewhere")));
    // The folder `out` relative to the new working directory, not to that of the run.
    assert_eq!(tried(&outcome)[0], "read: PermissionError", "{outcome:?}");
}
