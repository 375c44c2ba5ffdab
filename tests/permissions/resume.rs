//! A resumed run has the same restrictions (docs/reference/permissions.md).

use crate::support::{Ended, resume::Place};

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
fn killed(options: &str) -> Place {
    let place = Place::mocked(TRIES);
    let path = place.folder.path("");
    let prompt = std::fs::read_to_string(place.folder.path("p.lmt.mjs")).unwrap();
    place.folder.write("own/p.lmt.mjs", &prompt);
    ["out/note.txt", "far/note.txt", "elsewhere/out/note.txt"]
        .iter()
        .for_each(|name| place.folder.write(name, "a note"));
    place.folder.write("box/note.txt", "");
    let ended = place.run(&format!("run --journal --allow-write=box --allow-run {options} own/p.lmt.mjs"));
    assert_eq!(ended.code, -1, "{path:?}: {ended:?}");
    place
}

fn tried(ended: &Ended) -> Vec<&str> {
    assert_eq!(ended.code, 0, "{ended:?}");
    // Once for each step.
    let mut lines: Vec<_> = ended.stdout.lines().filter(|line| line.contains(": ")).collect();
    lines.dedup();
    lines.truncate(4);
    lines
}

#[test]
fn a_run_goes_on_with_its_rights() {
    let place = killed("--allow-read=out,box --allow-env=PLAIN");
    let mut command = place.command("resume last");
    let ended = Ended::of(command.env("PLAIN", "plain"));
    assert_eq!(tried(&ended), ["read: a note", "outside: PermissionError", "box: true", "env: plain"]);
}

#[test]
fn it_goes_on_with_others_when_they_are_typed_and_never_without_any() {
    let place = killed("--allow-read=out");
    let ended = place.run("resume last --allow-read=far");
    assert_eq!(tried(&ended), ["read: PermissionError", "outside: a note", "box: false", "env: PermissionError"]);
}

#[test]
fn what_was_given_is_the_same_folder_from_anywhere() {
    let place = killed("--allow-read=out");
    let mut command = place.command("resume last --journal ../.lmthing/journal.db --allow-read=out");
    let ended = Ended::of(command.current_dir(place.folder.path("elsewhere")));
    // The folder `out` relative to the new working directory, not to that of the run.
    assert_eq!(tried(&ended)[0], "read: PermissionError", "{ended:?}");
}
