//! Runs that stop at calls that need approval, and are resumed with a decision (docs/reference/approvals.md,
//! "Deciding later").

use serde_json::{Value, json};

use crate::support::{
    Ended, Running,
    resume::{
        PRELUDE, Place,
        provider::{Conversation, Provider, Turn},
        status,
    },
};

const RUN: &str = "run --journal --on-approval stop p.lmt.mjs";

/// Two calls that need approval and one that does not, in one answer.
const DEPLOY: &str = "
const To = z.object({ to: z.string() });
export default ({ $, defTool }) => {
  const done = (what) => ({ to }) => { note(`${what} ${to}`); return `${what} to ${to}`; };
  defTool('deploy', 'Deploys.', To, done('deployed'), { needsApproval: true });
  defTool('read', 'Reads.', To, done('read'));
  $`You are who=root.`;
};
";

/// A file that calls the provider; its source is appended to [`PRELUDE`].
fn asking(source: &str, answer: impl Fn(&Conversation) -> Turn + Send + Sync + 'static) -> Place {
    Place::new(&format!("{PRELUDE}export const config = {{ model: 'lab:m' }};\n{source}"), Provider::start(answer))
}

/// The first answer makes these calls, the second shows their results as text.
fn in_one_answer(calls: &'static [(&'static str, &'static str, &'static str)]) -> Place {
    asking(DEPLOY, move |asked| match asked.step {
        0 => calls.iter().fold(Turn::default(), |turn, (id, name, to)| turn.call(id, name, &json!({ "to": to }))),
        _ => Turn::text(&asked.results().join("; ")),
    })
}

/// Runs until it stops for approval.
fn stopped(place: &Place, arguments: &str) -> Ended {
    let ended = place.run(arguments);
    assert_eq!(ended.code, 5, "{ended:?}");
    assert_eq!(status(place), "waiting");
    ended
}

fn done(place: &Place, arguments: &str) -> Ended {
    let ended = place.run(arguments);
    assert_eq!(ended.code, 0, "{ended:?}");
    ended
}

/// The names of the calls that wait for a decision.
fn waiting(place: &Place) -> Vec<String> {
    let listed = place.run("runs --json").object();
    let calls = listed[0]["error"]["waiting"].as_array().unwrap_or_else(|| panic!("{listed}")).clone();
    calls.iter().map(|call| format!("{} {}", call["call"].as_str().unwrap(), call["name"].as_str().unwrap())).collect()
}

fn id(place: &Place) -> String {
    place.run("runs --json").object()[0]["id"].as_str().unwrap().to_owned()
}

#[test]
fn a_run_stops_with_what_is_done_kept_and_goes_on_call_by_call() {
    let place = in_one_answer(&[("c1", "deploy", "live\u{1b}[2J"), ("c2", "read", "a"), ("c3", "deploy", "test")]);
    let ended = stopped(&place, RUN);
    let id = id(&place);
    let told = format!(
        "Calls of the run {id} wait for approval:
  c1: deploy
    to: \"live\\u001b[2J\"
  c3: deploy
    to: \"test\"
To go on:
  lmthing resume {id} --approve c1
  lmthing resume {id} --deny c1
  lmthing resume {id} --approve c3
  lmthing resume {id} --deny c3
"
    );
    assert_eq!((ended.stderr, ended.stdout.as_str()), (told.clone(), ""));
    assert_eq!(place.lines("done.log"), ["read a"]);
    assert_eq!(waiting(&place), ["c1 deploy", "c3 deploy"]);
    let shown = place.run("runs show last").stdout;
    assert!(shown.contains("waits     c1: deploy {\"to\":\"live\\u001b[2J\"}\n"), "{shown}");

    // Without a decision it stops again and repeats nothing.
    let again = stopped(&place, "resume last");
    assert_eq!(again.stderr, format!("resuming {id} at step 0 (1 tool call of it is done)\n{told}"));
    let one = stopped(&place, "resume last --approve c3");
    assert!(one.stderr.contains("A call of the run") && one.stderr.contains("c1: deploy"), "{one:?}");
    assert!(!one.stderr.contains("c3: deploy"), "{one:?}");
    assert_eq!(place.lines("done.log"), ["read a", "deployed test"]);
    let ended = done(&place, "resume last --deny c1=not=today");
    let text = "The user denied the call of deploy: not=today; read to a; deployed to test\n";
    assert_eq!(ended.stdout, text);
    assert_eq!((status(&place).as_str(), place.provider.count()), ("done", 2));
    assert_eq!(place.lines("done.log"), ["read a", "deployed test"]);
}

#[test]
fn several_calls_are_decided_on_at_once_and_a_decision_is_not_a_pattern() {
    let place = in_one_answer(&[("c1", "deploy", "a"), ("c2", "deploy", "b"), ("c3", "deploy", "c")]);
    stopped(&place, RUN);
    let ended = done(&place, "resume last --approve c1 --approve c2 --deny c3");
    assert_eq!(ended.stdout, "deployed to a; deployed to b; The user denied the call of deploy\n");

    // As with `run`, a name means all calls of that tool.
    let place = in_one_answer(&[("c1", "deploy", "a"), ("deploy", "deploy", "b")]);
    stopped(&place, RUN);
    assert!(stopped(&place, "resume last --approve deploy").stderr.contains("  c1: deploy\n"), "the id comes first");
    assert_eq!(done(&place, "resume last --approve dep*").stdout, "deployed to a; deployed to b\n");
    let place = in_one_answer(&[("c1", "deploy", "a")]);
    stopped(&place, RUN);
    assert_eq!(done(&place, "resume last --yes").stdout, "deployed to a\n");
}

#[test]
fn ids_that_look_like_numbered_ones_mean_themselves() {
    let place = in_one_answer(&[("a", "deploy", "x"), ("a.1", "deploy", "y")]);
    stopped(&place, RUN);
    assert!(stopped(&place, "resume last --approve a.1").stderr.contains("  a: deploy\n"));
    assert_eq!(place.lines("done.log"), ["deployed y"]);
    assert_eq!(done(&place, "resume last --deny a").stdout, "The user denied the call of deploy; deployed to y\n");
}

#[test]
fn what_the_first_command_approved_is_still_approved() {
    let source = DEPLOY.replace("done('read'))", "done('read'), { needsApproval: true })");
    let place = asking(&source, |asked| match asked.step {
        0 => Turn::default().call("c1", "deploy", &json!({ "to": "a" })),
        1 => Turn::default().call("c2", "read", &json!({ "to": "b" })),
        _ => Turn::text(&asked.results().join("; ")),
    });
    stopped(&place, &RUN.replace("p.lmt.mjs", "--approve rea* p.lmt.mjs"));
    assert_eq!(done(&place, "resume last --approve c1").stdout, "deployed to a; read to b\n");
}

#[test]
fn words_that_mean_no_call_are_refused_with_those_that_do() {
    let place = in_one_answer(&[("c1", "deploy", "a"), ("c2", "deploy", "b")]);
    stopped(&place, RUN);
    let names = "those that wait are c1 (deploy), c2 (deploy)";
    for (typed, what) in [
        ("--approve c3", "--approve c3: no call of this id waits for approval in the run"),
        ("--deny c3", "--deny c3: no call of this id waits"),
        ("--deny deploy", "--deny deploy: no call"),
        ("--deny c3=c1", "--deny c3=c1: no call"),
    ] {
        let ended = place.run(&format!("resume last {typed}"));
        assert_eq!(ended.code, 2, "{ended:?}");
        assert!(ended.stderr.contains(what) && ended.stderr.contains(names), "{ended:?}");
    }
    let both = place.run("resume last --approve c1 --deny c1");
    assert!(both.code == 2 && both.stderr.contains("the call c1 is decided on in two ways"), "{both:?}");
    let pattern = place.run("resume last --approve [");
    assert!(pattern.code == 2 && pattern.stderr.contains("'[' is no pattern"), "{pattern:?}");
    assert_eq!((status(&place).as_str(), place.provider.count()), ("waiting", 1), "nothing has happened");
    done(&place, "resume last --approve c1 --approve c1 --approve c2");
    let late = place.run("resume last --approve c1");
    assert_eq!((late.code, late.stderr.contains("nothing is left to do")), (0, true), "{late:?}");
}

#[test]
fn a_journal_is_needed() {
    let place = in_one_answer(&[("c1", "deploy", "a")]);
    let ended = place.run("run --on-approval stop p.lmt.mjs");
    assert_eq!((ended.code, place.provider.count()), (2, 0), "{ended:?}");
    assert!(ended.stderr.contains("--on-approval stop: the run is not written down"), "{ended:?}");
    assert!(ended.stderr.contains("add --journal, or write journal: true into config"), "{ended:?}");
    let replayed = place.run("run --journal --on-approval stop --replay r.json p.lmt.mjs");
    assert!(replayed.code == 2 && replayed.stderr.contains("cannot be used with --replay"), "{replayed:?}");
    let wrong = place.run("run --journal --on-approval wait p.lmt.mjs");
    assert!(wrong.code == 2 && wrong.stderr.contains("[possible values: deny, stop]"), "{wrong:?}");
    let denied = done(&place, "run --on-approval deny p.lmt.mjs");
    assert!(denied.stdout.contains("was denied: it needs approval"), "{denied:?}");
    // `config` can ask for the journal too, and an existing journal is used.
    let config = format!("{PRELUDE}export const config = {{ model: 'lab:m', journal: true }};\n{DEPLOY}");
    place.folder.write("p.lmt.mjs", &config);
    stopped(&place, "run --on-approval stop p.lmt.mjs");
    place.folder.write("p.lmt.mjs", &config.replace("journal: true", "journal: false"));
    assert_eq!(place.run("run --on-approval stop p.lmt.mjs").code, 2);
    assert_eq!(place.run("run --journal --on-approval stop p.lmt.mjs").code, 5);
}

#[test]
fn programs_read_which_calls_wait() {
    let place = in_one_answer(&[("c1", "deploy", "a"), ("c2", "read", "b")]);
    let object = stopped(&place, "run --journal --on-approval stop -f json p.lmt.mjs").object();
    let id = id(&place);
    let error = json!({
        "code": 5, "kind": "approval", "message": "the call of deploy (c1) waits for approval",
        "hint": format!("lmthing resume {id} --approve c1 or lmthing resume {id} --deny c1"),
        "waiting": [{ "call": "c1", "toolCallId": "c1", "name": "deploy", "args": { "to": "a" }, "agent": [] }],
    });
    assert_eq!((&object["ok"], &object["error"]), (&json!(false), &error));
    let events = stopped(&place, "resume last -f events").events();
    let finish = events.last().unwrap();
    assert_eq!((&finish["type"], &finish["error"]), (&json!("run-finish"), &error));
    assert!(place.run("view last -o page.html").code == 0);
    let object = done(&place, "resume last --approve c1 -f json").object();
    assert_eq!((&object["ok"], &object["text"]), (&json!(true), &json!("deployed to a; read to b")));
}

#[test]
fn the_journal_of_the_command_is_named() {
    let place = in_one_answer(&[("c1", "deploy", "a")]);
    let ended = place.run("run --journal=other.db --on-approval stop p.lmt.mjs");
    let line = ended.stderr.lines().find(|line| line.contains("--approve c1")).unwrap().trim();
    assert!(line.contains("--journal other.db "), "{line}");
    let again = place.run(line.split_once(' ').unwrap().1.replace(" --approve c1", "").as_str());
    assert!(again.code == 5 && again.stderr.contains(line), "{again:?}");
    done(&place, line.split_once(' ').unwrap().1);
}

#[test]
fn what_is_approved_are_the_arguments_and_one_call() {
    let place = in_one_answer(&[("c1", "deploy", "a"), ("c2", "deploy", "a")]);
    stopped(&place, RUN);
    stopped(&place, "resume last --approve c1");
    assert_eq!(place.lines("done.log"), ["deployed a"]);
    assert_eq!(waiting(&place), ["c2 deploy"]);
    // The tool's parameters change: the approval was for other arguments.
    let source = std::fs::read_to_string(place.folder.path("p.lmt.mjs")).unwrap();
    place.folder.write("p.lmt.mjs", &source.replace("z.string() }", "z.string().transform((to) => to + '!') }"));
    let ended = stopped(&place, "resume last --approve c2");
    assert!(ended.stderr.contains("the call of deploy was approved with other arguments than it has now"), "{ended:?}");
    assert!(ended.stderr.contains("to: \"a!\""), "{ended:?}");
    assert_eq!(place.lines("done.log"), ["deployed a"]);
    assert_eq!(waiting(&place), ["c2.3 deploy"]);
    done(&place, "resume last --approve c2");
    assert_eq!(place.lines("done.log"), ["deployed a", "deployed a!"]);
}

#[test]
fn a_tool_that_must_not_be_repeated_is_made_once_it_is_approved() {
    let place = in_one_answer(&[("c1", "deploy", "a")]);
    let source = std::fs::read_to_string(place.folder.path("p.lmt.mjs")).unwrap();
    place.folder.write("p.lmt.mjs", &source.replace("needsApproval: true", "needsApproval: true, repeat: false"));
    stopped(&place, RUN);
    stopped(&place, "resume last");
    assert_eq!(done(&place, "resume last --approve c1").stdout, "deployed to a\n");
    assert_eq!(place.lines("done.log"), ["deployed a"]);
}

#[test]
fn going_back_asks_anew() {
    let place = in_one_answer(&[("c1", "deploy", "a")]);
    stopped(&place, RUN);
    let wrong = place.run("resume last --from 0 --deny c1");
    assert!(wrong.code == 2 && wrong.stderr.contains("no call of it waits"), "{wrong:?}");
    let ended = place.run("resume last --from 0");
    assert_eq!((ended.code, place.provider.count()), (5, 2), "{ended:?}");
    let done = place.run("resume last --approve c1");
    assert_eq!((done.code, done.stdout.as_str()), (0, "deployed to a\n"), "{done:?}");
    let listed = place.run("runs --json").object();
    let statuses: Vec<&Value> = listed.as_array().unwrap().iter().map(|run| &run["status"]).collect();
    assert_eq!(statuses, ["done", "waiting"]);
    // An approved run can also be resumed from an earlier step.
    let back = place.run("resume last --from 0 --on-approval deny");
    assert!(back.stdout.contains("was denied: it needs approval"), "{back:?}");
}

#[test]
fn a_limit_and_a_failure_beside_a_call_that_waits_end_the_run_as_they_do() {
    let place = in_one_answer(&[("c1", "deploy", "a"), ("c2", "read", "slow")]);
    let source = std::fs::read_to_string(place.folder.path("p.lmt.mjs")).unwrap();
    let slow = source.replace("done('read')", "async () => { await new Promise((end) => setTimeout(end, 60_000)); }");
    place.folder.write("p.lmt.mjs", &slow);
    let ended = place.run("run --journal --on-approval stop --timeout 1s p.lmt.mjs");
    assert_eq!((ended.code, status(&place).as_str()), (4, "limit"), "{ended:?}");
    place.folder.write("p.lmt.mjs", &source);
    stopped(&place, "resume last");
    assert_eq!(done(&place, "resume last --approve c1").stdout, "deployed to a; read to slow\n");
}

#[test]
fn what_keeps_the_program_alive_does_not_keep_it_from_stopping() {
    let place = in_one_answer(&[("c1", "deploy", "a")]);
    let source = std::fs::read_to_string(place.folder.path("p.lmt.mjs")).unwrap();
    place.folder.write(
        "p.lmt.mjs",
        &format!("{source}\nconst timer = setInterval(() => {{}}, 50);\nprocess.on('exit', () => note('exit'));"),
    );
    stopped(&place, RUN);
    assert_eq!(place.lines("done.log"), ["exit"]);
}

#[test]
#[cfg(target_os = "linux")]
fn on_a_terminal_somebody_is_asked() {
    let place = in_one_answer(&[("c1", "deploy", "a")]);
    stopped(&place, RUN);
    let mut command = std::process::Command::new("script");
    let line = format!("stty rows 24 cols 80; exec {} resume last", env!("CARGO_BIN_EXE_lmthing"));
    command.args(["-qefc", &line, "/dev/null"]).current_dir(place.folder.path("")).env("NO_COLOR", "1");
    command
        .env("LAB_API_TYPE", "openai")
        .env("LAB_API_BASE", &place.provider.base)
        .env_remove("CI")
        .env("TERM", "xterm");
    command
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped());
    let mut running = Running::of(&mut command);
    running.wait_for("view", 0);
    running.wait_for("Approve the call of deploy?", 1);
    running.type_text("y\n");
    running.wait_for("deployed to a", 1);
    assert_eq!(running.end().code, 0);
}
