//! `lmthing resume` (docs/reference/resume.md): which run it selects, what it prints, what it
//! refuses.

use serde_json::{Value, json};

use crate::support::{
    Ended, Folder, HELLO, Running,
    resume::{
        PRELUDE, Place,
        provider::{Conversation, Provider, Turn},
        status,
    },
};

/// Kills itself in its second step; its last answer has two words.
const DIES: &str = "
    export const mock = [call('c0', 'look'), call('c1', 'break'), text('The end.')];
    export default ({ $, defTool }) => {
      defTool('look', 'l', none, () => { note('look'); return 'seen'; });
      defTool('break', 'b', none, () => { die(); return 'ok'; });
      $`go`;
    };";

fn runs(place: &Place) -> Vec<Value> {
    place.run("runs --json").object().as_array().unwrap().clone()
}

fn id(place: &Place) -> String {
    runs(place)[0]["id"].as_str().unwrap().to_owned()
}

fn killed(source: &str) -> (Place, String) {
    let place = Place::mocked(source);
    place.killed();
    let id = id(&place);
    (place, id)
}

fn failed(ended: &Ended, code: i32, words: &[&str]) {
    assert_eq!((ended.code, ended.stdout.as_str()), (code, ""), "{ended:?}");
    words.iter().for_each(|word| assert!(ended.stderr.contains(word), "{word}: {ended:?}"));
}

#[test]
fn a_run_goes_on_under_its_name() {
    let (place, id) = killed(DIES);
    assert_eq!(status(&place), "interrupted");
    let ended = place.run(&format!("resume {} -f events", &id[..id.len() - 2]));
    let events = ended.events();
    assert!(events.iter().all(|event| event["run"] == id), "{events:?}");
    let start = &events[0];
    assert_eq!((&start["type"], &start["resumed"], &start["fromStep"]), (&json!("run-start"), &json!(true), &json!(1)));
    // Events of before the interruption are not repeated.
    let steps: Vec<_> =
        events.iter().filter(|event| event["type"] == "step-finish").map(|e| e["step"].clone()).collect();
    assert_eq!(steps, [1, 2], "{events:?}");
    assert_eq!(events.last().unwrap()["steps"], 3);
    assert!(ended.stderr.contains(&format!("resuming {id} at step 1")), "{ended:?}");
    let again = place.run("resume last");
    assert_eq!((again.code, again.stdout.as_str()), (0, ""), "{again:?}");
    assert!(again.stderr.contains("has ended") && again.stderr.contains("nothing is left to do"), "{again:?}");
    assert_eq!((runs(&place).len(), status(&place).as_str()), (1, "done"));
    assert_eq!(place.lines("done.log"), ["look"]);
}

#[test]
fn a_run_that_died_behind_its_last_answer_prints_it() {
    let source = "export const config = { model: 'mock', options: { onStepFinish: () => die() } };
        export const mock = [text('The '), text('end.')];
        export default ({ $ }) => { $`go`; };";
    let place = Place::new(&format!("{PRELUDE}{source}"), Provider::start(|_| Turn::failure(500)));
    place.killed();
    let ended = place.run("resume last");
    assert_eq!((ended.code, ended.stdout.as_str()), (0, "The end.\n"), "{ended:?}");
    assert_eq!(place.run("resume last -f json").object()["text"], "The end.");
}

#[test]
fn a_run_that_died_before_its_first_answer_begins_again() {
    let (place, id) = killed("export const mock = [text('hello')]; export default ({ $ }) => { die(); $`go`; };");
    let ended = place.run("resume last");
    assert_eq!((ended.code, ended.stdout.as_str()), (0, "hello\n"), "{ended:?}");
    assert_eq!((runs(&place).len(), runs(&place)[0]["id"].as_str().unwrap()), (1, id.as_str()));
}

#[test]
fn input_and_model_are_those_of_the_first_command() {
    let place = Place::new(
        &format!(
            "{}
            export const input = z.object({{ city: z.string(), note: z.string() }});
            export default ({{ $, defTool }}, {{ city, note }}) => {{
              defTool('break', 'b', none, () => {{ die(); return 'ok'; }});
              $`You are who=${{city}}. ${{note}} ${{process.cwd().split('/').pop()}} ${{process.argv.slice(2).join()}}`;
            }};",
            PRELUDE
        ),
        Provider::start(|conversation| match conversation.step {
            0 => Turn::default().call("c", "break", &json!({})),
            _ => Turn::text(&conversation.body["model"].to_string()),
        }),
    );
    place.folder.write("note.txt", "from a file");
    place.folder.write("deep/x", "");
    let mut command = place.command("run --journal -m lab:first p.lmt.mjs --city Rome --note @note.txt");
    assert_eq!(Ended::of(&mut command).code, -1);
    place.folder.write("note.txt", "other words");
    // Paths are those of the first command, whatever the folder.
    let mut command = place.command("resume last");
    command.current_dir(place.folder.path("deep"));
    let ended = Ended::of(&mut command);
    assert_eq!((ended.code, ended.stdout.as_str()), (0, "\"first\"\n"), "{ended:?}");
    let messages = place.provider.asked()[1].messages();
    assert!(messages.contains("who=Rome. from a file"), "{messages}");
    assert_eq!(place.provider.names(), ["Rome 0", "Rome 1"]);
}

#[test]
fn another_model_may_go_on() {
    let place = Place::new(
        &format!(
            "{}export const config = {{ model: 'lab:first' }};
            export default ({{ $, defTool }}) => {{
              defTool('break', 'b', none, () => {{ die(); return 'ok'; }});
              $`You are who=root.`;
            }};",
            PRELUDE
        ),
        Provider::start(|conversation| match conversation.step {
            0 => Turn::default().call("c", "break", &json!({})),
            _ => Turn::text(&conversation.body["model"].to_string()),
        }),
    );
    place.killed();
    assert_eq!(place.run("resume last -m lab:second").stdout, "\"second\"\n");
}

#[test]
fn a_run_that_is_alive_is_not_taken_over() {
    let place = Place::mocked(
        "export const mock = [call('c', 'wait'), text('end')];
        export default ({ $, defTool }) => {
          defTool('wait', 'w', none, async () => {
            note('waits');
            while (!fs.existsSync('go')) await new Promise((resolve) => setTimeout(resolve, 5));
            return 'ok';
          });
          $`go`;
        };",
    );
    let running = Running::of(&mut place.command("run --journal p.lmt.mjs"));
    let waits = || {
        while place.lines("done.log").is_empty() {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
    };
    waits();
    assert_eq!(status(&place), "running");
    let refused = place.run("resume last");
    failed(&refused, 1, &["is being run by process", "since"]);
    drop(running);
    // One of two simultaneous resumptions is refused, too.
    std::fs::remove_file(place.folder.path("done.log")).unwrap();
    let first = Running::of(&mut place.command("resume last"));
    waits();
    failed(&place.run("resume last"), 1, &["is being run by process"]);
    place.folder.write("go", "");
    assert_eq!(first.end().stdout, "end\n");
    assert_eq!(place.lines("done.log"), ["waits"]);
}

#[test]
fn what_is_no_run_is_refused() {
    let (place, id) = killed(DIES);
    let other = if id.starts_with('1') { "2" } else { "1" };
    failed(&place.run(&format!("resume {other}{}", &id[1..])), 1, &["there is no run", &id]);
    failed(&place.run("resume lats"), 1, &["there is no run 'lats'", "'last'"]);
    failed(&place.run("resume"), 2, &["<ID|last>"]);
    failed(&place.run("resume last --journal=none.db"), 1, &["there is no journal", "none.db"]);
    let object = place.run("resume lats -f json");
    assert_eq!((object.code, object.object()["error"]["code"].as_i64()), (1, Some(1)), "{object:?}");
    let empty = Folder::of(HELLO);
    failed(&empty.run("resume last"), 1, &["journal.db", "lmthing run --journal FILE"]);
}

#[test]
fn a_run_whose_input_is_not_kept_is_refused() {
    let source = DIES.replace(
        "export default ({ $, defTool }) =>",
        "export const input = z.object({ note: z.string() });
    export default ({ $, defTool }, { note: _ }) =>",
    );
    let place = Place::mocked(&source);
    let secret = "sk-0123456789abcdefghij";
    let mut command = place.command(&format!("run --journal p.lmt.mjs {secret}"));
    let ended = Ended::of(command.env("OPENAI_API_KEY", secret));
    assert!(ended.code == -1 && ended.stderr.contains("cannot be resumed: its input holds a secret"), "{ended:?}");
    failed(&place.run("resume last"), 1, &["cannot be resumed: its input holds a secret"]);
}

#[test]
fn variables_of_modules_are_told_of() {
    let (place, _) = killed(&format!("let count = 0;{}", DIES.replace("note('look');", "note('look'); count += 1;")));
    let ended = place.run("resume last");
    assert!(
        ended.stderr.contains("a variable of a module begins anew, whatever it has held: count (p.lmt.mjs:"),
        "{ended:?}"
    );
    let quiet = place.run("resume last -q");
    assert_eq!((quiet.code, quiet.stderr.as_str()), (0, ""), "{quiet:?}");
}

#[test]
fn a_file_that_does_not_load_changes_nothing() {
    let (place, _) = killed(DIES);
    let good = std::fs::read_to_string(place.folder.path("p.lmt.mjs")).unwrap();
    let before = (runs(&place), place.run("runs export last").stdout);
    place.folder.write("p.lmt.mjs", "export default ({ $ }) => { $`go`; ");
    failed(&place.run("resume last"), 1, &["p.lmt.mjs", "SyntaxError"]);
    place.folder.write("p.lmt.mjs", "export const config = {};");
    failed(&place.run("resume last"), 1, &["p.lmt.mjs"]);
    std::fs::remove_file(place.folder.path("p.lmt.mjs")).unwrap();
    failed(&place.run("resume last"), 1, &["p.lmt.mjs"]);
    let json = place.run("resume last -f json");
    assert_eq!((json.code, &json.object()["error"]["code"]), (1, &json!(1)), "{json:?}");
    assert_eq!((runs(&place), place.run("runs export last").stdout), before);
    place.folder.write("p.lmt.mjs", &good);
    assert_eq!(place.resumed(), "The end.\n");
}

#[test]
fn a_file_that_has_changed_goes_on_as_it_is() {
    let (place, _) = killed(DIES);
    let source = std::fs::read_to_string(place.folder.path("p.lmt.mjs")).unwrap();
    place.folder.write("p.lmt.mjs", &source.replace("The end.", "Another end."));
    let ended = place.run("resume last");
    assert_eq!((ended.code, ended.stdout.as_str()), (0, "Another end.\n"), "{ended:?}");
}

#[test]
fn a_folder_that_is_gone_is_told() {
    let place = Place::mocked(DIES);
    place.folder.write("away/x", "");
    let mut command = place.command("run --journal=../j.db ../p.lmt.mjs");
    command.current_dir(place.folder.path("away"));
    assert_eq!(Ended::of(&mut command).code, -1);
    std::fs::remove_dir_all(place.folder.path("away")).unwrap();
    place.folder.write("dead", "");
    let ended = place.run("resume last --journal=j.db");
    assert_eq!((ended.code, ended.stdout.as_str()), (0, "The end.\n"), "{ended:?}");
    assert!(ended.stderr.contains("away") && ended.stderr.contains("is gone"), "{ended:?}");
}

#[test]
fn going_back_to_a_step_makes_a_new_run() {
    let source = format!(
        "{}export const config = {{ model: 'lab:m' }};
        export default ({{ $, defTool, defState, defSystem }}) => {{
          const [count, setCount] = defState('count', 0);
          defSystem('count', `count ${{count}}`);
          defTool('work', 'w', none, () => {{ note('work'); setCount((before) => before + 1); return 'ok'; }});
          $`You are who=root.`;
        }};",
        PRELUDE
    );
    let answer = |conversation: &Conversation| match conversation.step {
        0..3 => Turn::default().call(&format!("c{}", conversation.step), "work", &json!({})),
        _ => Turn::text("end"),
    };
    let place = Place::new(&source, Provider::start(answer));
    assert_eq!(place.run("run --journal p.lmt.mjs").stdout, "end\n");
    let first = id(&place);
    let ended = place.run(&format!("resume {first} --from 1"));
    assert_eq!((ended.code, ended.stdout.as_str()), (0, "end\n"), "{ended:?}");
    assert_eq!(place.provider.names(), ["root 0", "root 1", "root 2", "root 3", "root 1", "root 2", "root 3"]);
    let asked = place.provider.asked();
    assert_eq!(asked[1].messages(), asked[4].messages());
    let listed = runs(&place);
    assert_eq!((listed.len(), listed[1]["id"].as_str().unwrap()), (2, first.as_str()));
    let second = listed[0]["id"].as_str().unwrap();
    assert!(ended.stderr.contains(second) && second != first, "{ended:?}");
    assert_eq!((&listed[0]["steps"], &listed[1]["steps"]), (&json!(4), &json!(4)));
    // The first step is allowed, and so is the one after the last.
    assert_eq!(place.run(&format!("resume {first} --from 0 -f json")).object()["steps"], 4);
    for wrong in ["4", "99", "-1", "x", "1.5", ""] {
        let mut command = place.command(&format!("resume {first} --from"));
        failed(&Ended::of(command.arg(wrong)), 2, &["--from", "0 to 3"]);
    }
    assert_eq!(runs(&place).len(), 3);
}

#[test]
fn states_that_were_lost_are_told_and_stepped_back_from() {
    let (place, id) = killed(
        "export const mock = [call('c0', 'look'), call('c1', 'lose'), call('c2', 'break'), call('c3', 'look'), text('end')];
        export default ({ $, defTool, defState }) => {
          const [handler, setHandler] = defState('handler', null);
          defTool('look', 'l', none, () => { note('look'); return 'seen'; });
          defTool('lose', 'l', none, () => { note('lose'); setHandler(fs.existsSync('dead') ? null : { deep: () => 1 }); return 'ok'; });
          defTool('break', 'b', none, () => { die(); return 'ok'; });
          $`go`;
        };",
    );
    let refused = place.run("resume last");
    failed(&refused, 1, &["handler", "function", &format!("lmthing resume {id} --from 1")]);
    failed(&place.run(&format!("resume {id} --from 2")), 1, &["handler", "--from 1"]);
    let ended = place.run(&format!("resume {id} --from 1"));
    assert_eq!(ended.code, 0, "{ended:?}");
}

#[test]
fn whatever_ended_a_run_it_goes_on() {
    let source = format!(
        "{}export const config = {{ model: 'lab:m' }};
        export default ({{ $, defTool }}) => {{
          defTool('work', 'w', none, () => {{ note('work'); return 'ok'; }});
          if (fs.existsSync('throw')) throw new Error('no luck');
          $`You are who=root.`;
        }};",
        PRELUDE
    );
    let place = Place::new(
        &source,
        Provider::start(|conversation| match conversation.step {
            0..2 => Turn::default().call(&format!("c{}", conversation.step), "work", &json!({})),
            2 if conversation.body["model"] == "m" => Turn::failure(400),
            2 if conversation.body["model"] == "n" => Turn::text("half an answer").cut_after(1),
            _ => Turn::text("end"),
        }),
    );
    let limited = place.run("run --journal --max-steps 1 p.lmt.mjs");
    assert_eq!((limited.code, status(&place).as_str()), (4, "limit"), "{limited:?}");
    // The limit of the first command line does not apply.
    let failed = place.run("resume last");
    assert_eq!((failed.code, status(&place).as_str()), (3, "failed"), "{failed:?}");
    assert_eq!(place.lines("done.log").len(), 2);
    place.folder.write("throw", "");
    assert_eq!(place.run("resume last").code, 1);
    std::fs::remove_file(place.folder.path("throw")).unwrap();
    let cut = place.run("resume last -m lab:n");
    assert_eq!((cut.code, cut.stdout.trim()), (3, "half"), "{cut:?}");
    assert_eq!(place.run("resume last -m lab:o").stdout, "end\n");
    assert_eq!((place.lines("done.log").len(), place.run("runs --json").object()[0]["steps"].as_u64()), (2, Some(3)));
}

#[test]
fn a_run_that_was_interrupted_goes_on() {
    let place = Place::new(
        &format!(
            "{}export const config = {{ model: 'lab:m' }};
            export default ({{ $, defTool }}) => {{
              defTool('work', 'w', none, async () => {{
                note('work');
                if (!fs.existsSync('go')) await new Promise((resolve) => setTimeout(resolve, 60_000));
                return 'ok';
              }});
              $`You are who=root.`;
            }};",
            PRELUDE
        ),
        Provider::start(|conversation| match conversation.step {
            0 => Turn::text("Wait. ").call("c", "work", &json!({})),
            _ => Turn::text("end"),
        }),
    );
    for format in ["text", "json"] {
        let arguments = if format == "text" { "run --journal p.lmt.mjs" } else { "resume last -f json" };
        let lines = place.lines("done.log").len();
        let running = Running::of(&mut place.command(arguments));
        while place.lines("done.log").len() == lines {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        running.signal("INT");
        assert_eq!(running.end().code, 130, "{format}");
        assert_eq!(status(&place), "interrupted");
    }
    place.folder.write("go", "");
    assert_eq!(place.resumed(), "end\n");
    assert_eq!(place.provider.names(), ["root 0", "root 1"]);
}
