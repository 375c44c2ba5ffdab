//! `lmthing resume` (docs/reference/resume.md): which run it selects, what it prints, what it
//! refuses.

use serde_json::{Value, json};

use crate::support::{
    Folder, HELLO, Outcome, Running,
    resume::{
        PRELUDE, Project,
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

fn runs(project: &Project) -> Vec<Value> {
    project.run("runs --json").object().as_array().unwrap().clone()
}

fn id(project: &Project) -> String {
    runs(project)[0]["id"].as_str().unwrap().to_owned()
}

fn killed(source: &str) -> (Project, String) {
    let project = Project::mocked(source);
    project.killed();
    let id = id(&project);
    (project, id)
}

fn failed(outcome: &Outcome, code: i32, words: &[&str]) {
    assert_eq!((outcome.code, outcome.stdout.as_str()), (code, ""), "{outcome:?}");
    words.iter().for_each(|word| assert!(outcome.stderr.contains(word), "{word}: {outcome:?}"));
}

#[test]
fn a_run_is_resumed_by_its_id() {
    let (project, id) = killed(DIES);
    assert_eq!(status(&project), "interrupted");
    let outcome = project.run(&format!("resume {} -f events", &id[..id.len() - 2]));
    let events = outcome.events();
    assert!(events.iter().all(|event| event["run"] == id), "{events:?}");
    let start = &events[0];
    assert_eq!((&start["type"], &start["resumed"], &start["fromStep"]), (&json!("run-start"), &json!(true), &json!(1)));
    // Events of before the interruption are not repeated.
    let steps: Vec<_> =
        events.iter().filter(|event| event["type"] == "step-finish").map(|e| e["step"].clone()).collect();
    assert_eq!(steps, [1, 2], "{events:?}");
    assert_eq!(events.last().unwrap()["steps"], 3);
    assert!(outcome.stderr.contains(&format!("resuming {id} at step 1")), "{outcome:?}");
    let again = project.run("resume last");
    assert_eq!((again.code, again.stdout.as_str()), (0, ""), "{again:?}");
    assert!(again.stderr.contains("has ended") && again.stderr.contains("nothing is left to do"), "{again:?}");
    assert_eq!((runs(&project).len(), status(&project).as_str()), (1, "done"));
    assert_eq!(project.lines("done.log"), ["look"]);
}

#[test]
fn a_run_killed_after_its_last_answer_prints_it() {
    let source = "export const config = { model: 'mock', options: { onStepFinish: () => die() } };
        export const mock = [text('The '), text('end.')];
        export default ({ $ }) => { $`go`; };";
    let project = Project::new(&format!("{PRELUDE}{source}"), Provider::start(|_| Turn::failure(500)));
    project.killed();
    let outcome = project.run("resume last");
    assert_eq!((outcome.code, outcome.stdout.as_str()), (0, "The end.\n"), "{outcome:?}");
    assert_eq!(project.run("resume last -f json").object()["text"], "The end.");
}

#[test]
fn a_run_that_died_before_its_first_answer_begins_again() {
    let (project, id) = killed("export const mock = [text('hello')]; export default ({ $ }) => { die(); $`go`; };");
    let outcome = project.run("resume last");
    assert_eq!((outcome.code, outcome.stdout.as_str()), (0, "hello\n"), "{outcome:?}");
    assert_eq!((runs(&project).len(), runs(&project)[0]["id"].as_str().unwrap()), (1, id.as_str()));
}

#[test]
fn input_and_model_are_those_of_the_first_command() {
    let project = Project::new(
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
    project.folder.write("note.txt", "from a file");
    project.folder.write("deep/x", "");
    let mut command = project.command("run --journal -m lab:first p.lmt.mjs --city Rome --note @note.txt");
    assert_eq!(Outcome::of(&mut command).code, -1);
    project.folder.write("note.txt", "other words");
    // Paths are those of the first command, whatever the folder.
    let mut command = project.command("resume last");
    command.current_dir(project.folder.path("deep"));
    let outcome = Outcome::of(&mut command);
    assert_eq!((outcome.code, outcome.stdout.as_str()), (0, "\"first\"\n"), "{outcome:?}");
    let messages = project.provider.requests()[1].messages();
    assert!(messages.contains("who=Rome. from a file"), "{messages}");
    assert_eq!(project.provider.names(), ["Rome 0", "Rome 1"]);
}

#[test]
fn another_model_may_go_on() {
    let project = Project::new(
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
    project.killed();
    assert_eq!(project.run("resume last -m lab:second").stdout, "\"second\"\n");
}

#[test]
fn a_run_that_is_alive_is_not_taken_over() {
    let project = Project::mocked(
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
    let running = Running::of(&mut project.command("run --journal p.lmt.mjs"));
    let waits = || {
        while project.lines("done.log").is_empty() {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
    };
    waits();
    assert_eq!(status(&project), "running");
    let refused = project.run("resume last");
    failed(&refused, 1, &["is being run by process", "since"]);
    drop(running);
    // One of two simultaneous resumptions is refused, too.
    std::fs::remove_file(project.folder.path("done.log")).unwrap();
    let first = Running::of(&mut project.command("resume last"));
    waits();
    failed(&project.run("resume last"), 1, &["is being run by process"]);
    project.folder.write("go", "");
    assert_eq!(first.end().stdout, "end\n");
    assert_eq!(project.lines("done.log"), ["waits"]);
}

#[test]
fn invalid_runs_are_refused() {
    let (project, id) = killed(DIES);
    let (start, last) = id.split_at(id.len() - 1);
    let misspelt = format!("{start}{}", if last == "0" { "1" } else { "0" });
    failed(&project.run(&format!("resume {misspelt}")), 1, &["there is no run", &id]);
    failed(&project.run("resume lats"), 1, &["there is no run 'lats'", "'last'"]);
    failed(&project.run("resume"), 2, &["<ID|last>"]);
    failed(&project.run("resume last --journal=none.db"), 1, &["there is no journal", "none.db"]);
    let object = project.run("resume lats -f json");
    assert_eq!((object.code, object.object()["error"]["code"].as_i64()), (1, Some(1)), "{object:?}");
    let empty = Folder::of(HELLO);
    failed(&empty.run("resume last"), 1, &["journal.db", "lmthing run --journal FILE"]);
}

#[test]
fn a_run_without_stored_input_is_refused() {
    let source = DIES.replace(
        "export default ({ $, defTool }) =>",
        "export const input = z.object({ note: z.string() });
    export default ({ $, defTool }, { note: _ }) =>",
    );
    let project = Project::mocked(&source);
    let secret = "sk-0123456789abcdefghij";
    let mut command = project.command(&format!("run --journal p.lmt.mjs {secret}"));
    let outcome = Outcome::of(command.env("OPENAI_API_KEY", secret));
    assert!(
        outcome.code == -1 && outcome.stderr.contains("cannot be resumed: its input holds a secret"),
        "{outcome:?}"
    );
    failed(&project.run("resume last"), 1, &["cannot be resumed: its input holds a secret"]);
}

#[test]
fn module_variables_cause_a_warning() {
    let (project, _) = killed(&format!("let count = 0;{}", DIES.replace("note('look');", "note('look'); count += 1;")));
    let outcome = project.run("resume last");
    assert!(
        outcome.stderr.contains("a variable of a module begins anew, whatever it has held: count (p.lmt.mjs:"),
        "{outcome:?}"
    );
    let quiet = project.run("resume last -q");
    assert_eq!((quiet.code, quiet.stderr.as_str()), (0, ""), "{quiet:?}");
}

#[test]
fn a_file_that_does_not_load_changes_nothing() {
    let (project, _) = killed(DIES);
    let good = std::fs::read_to_string(project.folder.path("p.lmt.mjs")).unwrap();
    let before = (runs(&project), project.run("runs export last").stdout);
    project.folder.write("p.lmt.mjs", "export default ({ $ }) => { $`go`; ");
    failed(&project.run("resume last"), 1, &["p.lmt.mjs", "SyntaxError"]);
    project.folder.write("p.lmt.mjs", "export const config = {};");
    failed(&project.run("resume last"), 1, &["p.lmt.mjs"]);
    std::fs::remove_file(project.folder.path("p.lmt.mjs")).unwrap();
    failed(&project.run("resume last"), 1, &["p.lmt.mjs"]);
    let json = project.run("resume last -f json");
    assert_eq!((json.code, &json.object()["error"]["code"]), (1, &json!(1)), "{json:?}");
    assert_eq!((runs(&project), project.run("runs export last").stdout), before);
    project.folder.write("p.lmt.mjs", &good);
    assert_eq!(project.resumed(), "The end.\n");
}

#[test]
fn a_changed_file_is_resumed_as_it_is() {
    let (project, _) = killed(DIES);
    let source = std::fs::read_to_string(project.folder.path("p.lmt.mjs")).unwrap();
    project.folder.write("p.lmt.mjs", &source.replace("The end.", "Another end."));
    let outcome = project.run("resume last");
    assert_eq!((outcome.code, outcome.stdout.as_str()), (0, "Another end.\n"), "{outcome:?}");
}

#[test]
fn a_missing_folder_is_an_error() {
    let project = Project::mocked(DIES);
    project.folder.write("away/x", "");
    let mut command = project.command("run --journal=../j.db ../p.lmt.mjs");
    command.current_dir(project.folder.path("away"));
    assert_eq!(Outcome::of(&mut command).code, -1);
    std::fs::remove_dir_all(project.folder.path("away")).unwrap();
    project.folder.write("dead", "");
    let outcome = project.run("resume last --journal=j.db");
    assert_eq!((outcome.code, outcome.stdout.as_str()), (0, "The end.\n"), "{outcome:?}");
    assert!(outcome.stderr.contains("away") && outcome.stderr.contains("is gone"), "{outcome:?}");
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
    let project = Project::new(&source, Provider::start(answer));
    assert_eq!(project.run("run --journal p.lmt.mjs").stdout, "end\n");
    let first = id(&project);
    let outcome = project.run(&format!("resume {first} --from 1"));
    assert_eq!((outcome.code, outcome.stdout.as_str()), (0, "end\n"), "{outcome:?}");
    assert_eq!(project.provider.names(), ["root 0", "root 1", "root 2", "root 3", "root 1", "root 2", "root 3"]);
    let requests = project.provider.requests();
    assert_eq!(requests[1].messages(), requests[4].messages());
    let listed = runs(&project);
    assert_eq!((listed.len(), listed[1]["id"].as_str().unwrap()), (2, first.as_str()));
    let second = listed[0]["id"].as_str().unwrap();
    assert!(outcome.stderr.contains(second) && second != first, "{outcome:?}");
    assert_eq!((&listed[0]["steps"], &listed[1]["steps"]), (&json!(4), &json!(4)));
    // The first step is allowed, and so is the one after the last.
    assert_eq!(project.run(&format!("resume {first} --from 0 -f json")).object()["steps"], 4);
    for wrong in ["4", "99", "-1", "x", "1.5", ""] {
        let mut command = project.command(&format!("resume {first} --from"));
        failed(&Outcome::of(command.arg(wrong)), 2, &["--from", "0 to 3"]);
    }
    assert_eq!(runs(&project).len(), 3);
}

#[test]
fn lost_states_are_reported_and_can_be_avoided_by_going_back() {
    let (project, id) = killed(
        "export const mock = [call('c0', 'look'), call('c1', 'lose'), call('c2', 'break'), call('c3', 'look'), text('end')];
        export default ({ $, defTool, defState }) => {
          const [handler, setHandler] = defState('handler', null);
          defTool('look', 'l', none, () => { note('look'); return 'seen'; });
          defTool('lose', 'l', none, () => { note('lose'); setHandler(fs.existsSync('dead') ? null : { deep: () => 1 }); return 'ok'; });
          defTool('break', 'b', none, () => { die(); return 'ok'; });
          $`go`;
        };",
    );
    let refused = project.run("resume last");
    failed(&refused, 1, &["handler", "function", &format!("lmthing resume {id} --from 1")]);
    failed(&project.run(&format!("resume {id} --from 2")), 1, &["handler", "--from 1"]);
    let outcome = project.run(&format!("resume {id} --from 1"));
    assert_eq!(outcome.code, 0, "{outcome:?}");
}

#[test]
fn a_run_is_resumed_after_every_kind_of_end() {
    let source = format!(
        "{}export const config = {{ model: 'lab:m' }};
        export default ({{ $, defTool }}) => {{
          defTool('work', 'w', none, () => {{ note('work'); return 'ok'; }});
          if (fs.existsSync('throw')) throw new Error('no luck');
          $`You are who=root.`;
        }};",
        PRELUDE
    );
    let project = Project::new(
        &source,
        Provider::start(|conversation| match conversation.step {
            0..2 => Turn::default().call(&format!("c{}", conversation.step), "work", &json!({})),
            2 if conversation.body["model"] == "m" => Turn::failure(400),
            2 if conversation.body["model"] == "n" => Turn::text("half an answer").cut_after(1),
            _ => Turn::text("end"),
        }),
    );
    let limited = project.run("run --journal --max-steps 1 p.lmt.mjs");
    assert_eq!((limited.code, status(&project).as_str()), (4, "limit"), "{limited:?}");
    // The limit of the first command line does not apply.
    let failed = project.run("resume last");
    assert_eq!((failed.code, status(&project).as_str()), (3, "failed"), "{failed:?}");
    assert_eq!(project.lines("done.log").len(), 2);
    project.folder.write("throw", "");
    assert_eq!(project.run("resume last").code, 1);
    std::fs::remove_file(project.folder.path("throw")).unwrap();
    let cut = project.run("resume last -m lab:n");
    assert_eq!((cut.code, cut.stdout.trim()), (3, "half"), "{cut:?}");
    assert_eq!(project.run("resume last -m lab:o").stdout, "end\n");
    assert_eq!(
        (project.lines("done.log").len(), project.run("runs --json").object()[0]["steps"].as_u64()),
        (2, Some(3))
    );
}

#[test]
fn an_interrupted_run_is_resumed() {
    let project = Project::new(
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
        let lines = project.lines("done.log").len();
        let running = Running::of(&mut project.command(arguments));
        while project.lines("done.log").len() == lines {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        running.signal("INT");
        assert_eq!(running.end().code, 130, "{format}");
        assert_eq!(status(&project), "interrupted");
    }
    project.folder.write("go", "");
    assert_eq!(project.resumed(), "end\n");
    assert_eq!(project.provider.names(), ["root 0", "root 1"]);
}
