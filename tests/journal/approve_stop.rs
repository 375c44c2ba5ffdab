//! Runs that stop at calls that need approval, and are resumed with a decision (docs/reference/approvals.md,
//! "Deciding later").

use serde_json::{Value, json};

use crate::support::{
    Outcome, Running,
    resume::{
        PRELUDE, Project,
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
fn asking(source: &str, answer: impl Fn(&Conversation) -> Turn + Send + Sync + 'static) -> Project {
    Project::new(&format!("{PRELUDE}export const config = {{ model: 'lab:m' }};\n{source}"), Provider::start(answer))
}

/// The first answer makes these calls, the second shows their results as text.
fn in_one_answer(calls: &'static [(&'static str, &'static str, &'static str)]) -> Project {
    asking(DEPLOY, move |request| match request.step {
        0 => calls.iter().fold(Turn::default(), |turn, (id, name, to)| turn.call(id, name, &json!({ "to": to }))),
        _ => Turn::text(&request.results().join("; ")),
    })
}

/// Runs until it stops for approval.
fn stopped(project: &Project, arguments: &str) -> Outcome {
    let outcome = project.run(arguments);
    assert_eq!(outcome.code, 5, "{outcome:?}");
    assert_eq!(status(project), "waiting");
    outcome
}

fn done(project: &Project, arguments: &str) -> Outcome {
    let outcome = project.run(arguments);
    assert_eq!(outcome.code, 0, "{outcome:?}");
    outcome
}

/// The names of the calls that wait for a decision.
fn waiting(project: &Project) -> Vec<String> {
    let listed = project.run("runs --json").object();
    let calls = listed[0]["error"]["waiting"].as_array().unwrap_or_else(|| panic!("{listed}")).clone();
    calls.iter().map(|call| format!("{} {}", call["call"].as_str().unwrap(), call["name"].as_str().unwrap())).collect()
}

fn id(project: &Project) -> String {
    project.run("runs --json").object()[0]["id"].as_str().unwrap().to_owned()
}

#[test]
fn a_stopped_run_keeps_results_and_is_resumed_call_by_call() {
    let project = in_one_answer(&[("c1", "deploy", "live\u{1b}[2J"), ("c2", "read", "a"), ("c3", "deploy", "test")]);
    let outcome = stopped(&project, RUN);
    let id = id(&project);
    let reported = format!(
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
    assert_eq!((outcome.stderr, outcome.stdout.as_str()), (reported.clone(), ""));
    assert_eq!(project.lines("done.log"), ["read a"]);
    // Kept once, although it is said twice.
    for _ in 0..2 {
        let outcome = stopped(&project, "resume last --say more");
        assert!(outcome.stderr.ends_with("The message of --say is kept: it is asked when the run has gone on.\n"));
    }
    assert_eq!(waiting(&project), ["c1 deploy", "c3 deploy"]);
    let shown = project.run("runs show last").stdout;
    assert!(shown.contains("waits     c1: deploy {\"to\":\"live\\u001b[2J\"}\n"), "{shown}");

    // Without a decision it stops again and repeats nothing.
    let again = stopped(&project, "resume last");
    assert_eq!(again.stderr, format!("resuming {id} at step 0 (1 tool call of it is done)\n{reported}"));
    let one = stopped(&project, "resume last --approve c3");
    assert!(one.stderr.contains("A call of the run") && one.stderr.contains("c1: deploy"), "{one:?}");
    assert!(!one.stderr.contains("c3: deploy"), "{one:?}");
    assert_eq!(project.lines("done.log"), ["read a", "deployed test"]);
    let outcome = done(&project, "resume last --deny c1=not=today");
    let text = "The user denied the call of deploy: not=today; read to a; deployed to test\n";
    // Then the message that was kept is answered.
    assert_eq!(outcome.stdout, text.repeat(2));
    assert_eq!((status(&project).as_str(), project.provider.count()), ("done", 3));
    assert!(project.provider.requests()[2].messages().contains("more"));
    assert_eq!(project.lines("done.log"), ["read a", "deployed test"]);
}

#[test]
fn several_calls_are_decided_on_at_once_and_a_decision_is_not_a_pattern() {
    let project = in_one_answer(&[("c1", "deploy", "a"), ("c2", "deploy", "b"), ("c3", "deploy", "c")]);
    stopped(&project, RUN);
    let outcome = done(&project, "resume last --approve c1 --approve c2 --deny c3");
    assert_eq!(outcome.stdout, "deployed to a; deployed to b; The user denied the call of deploy\n");

    // As with `run`, a name means all calls of that tool.
    let project = in_one_answer(&[("c1", "deploy", "a"), ("deploy", "deploy", "b")]);
    stopped(&project, RUN);
    assert!(stopped(&project, "resume last --approve deploy").stderr.contains("  c1: deploy\n"), "the id comes first");
    assert_eq!(done(&project, "resume last --approve dep*").stdout, "deployed to a; deployed to b\n");
    let project = in_one_answer(&[("c1", "deploy", "a")]);
    stopped(&project, RUN);
    assert_eq!(done(&project, "resume last --yes").stdout, "deployed to a\n");
}

#[test]
fn ids_that_look_like_numbered_ones_mean_themselves() {
    let project = in_one_answer(&[("a", "deploy", "x"), ("a.1", "deploy", "y")]);
    stopped(&project, RUN);
    assert!(stopped(&project, "resume last --approve a.1").stderr.contains("  a: deploy\n"));
    assert_eq!(project.lines("done.log"), ["deployed y"]);
    assert_eq!(done(&project, "resume last --deny a").stdout, "The user denied the call of deploy; deployed to y\n");
}

#[test]
fn approvals_of_the_first_command_still_apply() {
    let source = DEPLOY.replace("done('read'))", "done('read'), { needsApproval: true })");
    let project = asking(&source, |request| match request.step {
        0 => Turn::default().call("c1", "deploy", &json!({ "to": "a" })),
        1 => Turn::default().call("c2", "read", &json!({ "to": "b" })),
        _ => Turn::text(&request.results().join("; ")),
    });
    stopped(&project, &RUN.replace("p.lmt.mjs", "--approve rea* p.lmt.mjs"));
    assert_eq!(done(&project, "resume last --approve c1").stdout, "deployed to a; read to b\n");
}

#[test]
fn words_that_mean_no_call_are_refused_with_those_that_do() {
    let project = in_one_answer(&[("c1", "deploy", "a"), ("c2", "deploy", "b")]);
    stopped(&project, RUN);
    let names = "those that wait are c1 (deploy), c2 (deploy)";
    for (typed, what) in [
        ("--approve c3", "--approve c3: no call of this id waits for approval in the run"),
        ("--deny c3", "--deny c3: no call of this id waits"),
        ("--deny deploy", "--deny deploy: no call"),
        ("--deny c3=c1", "--deny c3=c1: no call"),
    ] {
        let outcome = project.run(&format!("resume last {typed}"));
        assert_eq!(outcome.code, 2, "{outcome:?}");
        assert!(outcome.stderr.contains(what) && outcome.stderr.contains(names), "{outcome:?}");
    }
    let both = project.run("resume last --approve c1 --deny c1");
    assert!(both.code == 2 && both.stderr.contains("the call c1 is decided on in two ways"), "{both:?}");
    let pattern = project.run("resume last --approve [");
    assert!(pattern.code == 2 && pattern.stderr.contains("'[' is no pattern"), "{pattern:?}");
    assert_eq!((status(&project).as_str(), project.provider.count()), ("waiting", 1), "nothing has happened");
    done(&project, "resume last --approve c1 --approve c1 --approve c2");
    let late = project.run("resume last --approve c1");
    assert_eq!((late.code, late.stderr.contains("nothing is left to do")), (0, true), "{late:?}");
}

#[test]
fn a_journal_is_needed() {
    let project = in_one_answer(&[("c1", "deploy", "a")]);
    let outcome = project.run("run --on-approval stop p.lmt.mjs");
    assert_eq!((outcome.code, project.provider.count()), (2, 0), "{outcome:?}");
    assert!(outcome.stderr.contains("--on-approval stop: the run is not written down"), "{outcome:?}");
    assert!(outcome.stderr.contains("add --journal, or write journal: true into config"), "{outcome:?}");
    let replayed = project.run("run --journal --on-approval stop --replay r.json p.lmt.mjs");
    assert!(replayed.code == 2 && replayed.stderr.contains("cannot be used with --replay"), "{replayed:?}");
    let wrong = project.run("run --journal --on-approval wait p.lmt.mjs");
    assert!(wrong.code == 2 && wrong.stderr.contains("[possible values: deny, stop]"), "{wrong:?}");
    let denied = done(&project, "run --on-approval deny p.lmt.mjs");
    assert!(denied.stdout.contains("was denied: it needs approval"), "{denied:?}");
    // `config` can ask for the journal too, and an existing journal is used.
    let config = format!("{PRELUDE}export const config = {{ model: 'lab:m', journal: true }};\n{DEPLOY}");
    project.folder.write("p.lmt.mjs", &config);
    stopped(&project, "run --on-approval stop p.lmt.mjs");
    project.folder.write("p.lmt.mjs", &config.replace("journal: true", "journal: false"));
    assert_eq!(project.run("run --on-approval stop p.lmt.mjs").code, 2);
    assert_eq!(project.run("run --journal --on-approval stop p.lmt.mjs").code, 5);
}

#[test]
fn programs_read_which_calls_wait() {
    let project = in_one_answer(&[("c1", "deploy", "a"), ("c2", "read", "b")]);
    let object = stopped(&project, "run --journal --on-approval stop -f json p.lmt.mjs").object();
    let id = id(&project);
    let error = json!({
        "code": 5, "kind": "approval", "message": "the call of deploy (c1) waits for approval",
        "hint": format!("lmthing resume {id} --approve c1 or lmthing resume {id} --deny c1"),
        "waiting": [{ "call": "c1", "toolCallId": "c1", "name": "deploy", "args": { "to": "a" }, "agent": [] }],
    });
    assert_eq!((&object["ok"], &object["error"]), (&json!(false), &error));
    let events = stopped(&project, "resume last -f events").events();
    let finish = events.last().unwrap();
    assert_eq!((&finish["type"], &finish["error"]), (&json!("run-finish"), &error));
    assert!(project.run("view last -o page.html").code == 0);
    let object = done(&project, "resume last --approve c1 -f json").object();
    assert_eq!((&object["ok"], &object["text"]), (&json!(true), &json!("deployed to a; read to b")));
}

#[test]
fn the_journal_of_the_command_is_named() {
    let project = in_one_answer(&[("c1", "deploy", "a")]);
    let outcome = project.run("run --journal=other.db --on-approval stop p.lmt.mjs");
    let line = outcome.stderr.lines().find(|line| line.contains("--approve c1")).unwrap().trim();
    assert!(line.contains("--journal other.db "), "{line}");
    let again = project.run(line.split_once(' ').unwrap().1.replace(" --approve c1", "").as_str());
    assert!(again.code == 5 && again.stderr.contains(line), "{again:?}");
    done(&project, line.split_once(' ').unwrap().1);
}

#[test]
fn an_approval_covers_the_arguments_and_one_call() {
    let project = in_one_answer(&[("c1", "deploy", "a"), ("c2", "deploy", "a")]);
    stopped(&project, RUN);
    stopped(&project, "resume last --approve c1");
    assert_eq!(project.lines("done.log"), ["deployed a"]);
    assert_eq!(waiting(&project), ["c2 deploy"]);
    // The tool's parameters change: the approval was for other arguments.
    let source = std::fs::read_to_string(project.folder.path("p.lmt.mjs")).unwrap();
    project.folder.write("p.lmt.mjs", &source.replace("z.string() }", "z.string().transform((to) => to + '!') }"));
    let outcome = stopped(&project, "resume last --approve c2");
    assert!(
        outcome.stderr.contains("the call of deploy was approved with other arguments than it has now"),
        "{outcome:?}"
    );
    assert!(outcome.stderr.contains("to: \"a!\""), "{outcome:?}");
    assert_eq!(project.lines("done.log"), ["deployed a"]);
    assert_eq!(waiting(&project), ["c2.3 deploy"]);
    done(&project, "resume last --approve c2");
    assert_eq!(project.lines("done.log"), ["deployed a", "deployed a!"]);
}

#[test]
fn a_tool_that_must_not_be_repeated_is_made_once_it_is_approved() {
    let project = in_one_answer(&[("c1", "deploy", "a")]);
    let source = std::fs::read_to_string(project.folder.path("p.lmt.mjs")).unwrap();
    project.folder.write("p.lmt.mjs", &source.replace("needsApproval: true", "needsApproval: true, repeat: false"));
    stopped(&project, RUN);
    stopped(&project, "resume last");
    assert_eq!(done(&project, "resume last --approve c1").stdout, "deployed to a\n");
    assert_eq!(project.lines("done.log"), ["deployed a"]);
}

#[test]
fn going_back_requires_approval_again() {
    let project = in_one_answer(&[("c1", "deploy", "a")]);
    stopped(&project, RUN);
    let wrong = project.run("resume last --from 0 --deny c1");
    assert!(wrong.code == 2 && wrong.stderr.contains("no call of it waits"), "{wrong:?}");
    let outcome = project.run("resume last --from 0");
    assert_eq!((outcome.code, project.provider.count()), (5, 2), "{outcome:?}");
    let done = project.run("resume last --approve c1");
    assert_eq!((done.code, done.stdout.as_str()), (0, "deployed to a\n"), "{done:?}");
    let listed = project.run("runs --json").object();
    let statuses: Vec<&Value> = listed.as_array().unwrap().iter().map(|run| &run["status"]).collect();
    assert_eq!(statuses, ["done", "waiting"]);
    // An approved run can also be resumed from an earlier step.
    let back = project.run("resume last --from 0 --on-approval deny");
    assert!(back.stdout.contains("was denied: it needs approval"), "{back:?}");
}

#[test]
fn a_limit_or_failure_during_a_waiting_call_ends_the_run_as_usual() {
    let project = in_one_answer(&[("c1", "deploy", "a"), ("c2", "read", "slow")]);
    let source = std::fs::read_to_string(project.folder.path("p.lmt.mjs")).unwrap();
    let slow = source.replace("done('read')", "async () => { await new Promise((end) => setTimeout(end, 60_000)); }");
    project.folder.write("p.lmt.mjs", &slow);
    let outcome = project.run("run --journal --on-approval stop --timeout 1s p.lmt.mjs");
    assert_eq!((outcome.code, status(&project).as_str()), (4, "limit"), "{outcome:?}");
    project.folder.write("p.lmt.mjs", &source);
    stopped(&project, "resume last");
    assert_eq!(done(&project, "resume last --approve c1").stdout, "deployed to a; read to slow\n");
}

#[test]
fn timers_do_not_prevent_a_stop() {
    let project = in_one_answer(&[("c1", "deploy", "a")]);
    let source = std::fs::read_to_string(project.folder.path("p.lmt.mjs")).unwrap();
    project.folder.write(
        "p.lmt.mjs",
        &format!("{source}\nconst timer = setInterval(() => {{}}, 50);\nprocess.on('exit', () => note('exit'));"),
    );
    stopped(&project, RUN);
    assert_eq!(project.lines("done.log"), ["exit"]);
}

#[test]
#[cfg(target_os = "linux")]
fn on_a_terminal_a_question_is_shown() {
    let project = in_one_answer(&[("c1", "deploy", "a")]);
    stopped(&project, RUN);
    let mut command = std::process::Command::new("script");
    let line = format!("stty rows 24 cols 80; exec {} resume last", env!("CARGO_BIN_EXE_lmthing"));
    command.args(["-qefc", &line, "/dev/null"]).current_dir(project.folder.path("")).env("NO_COLOR", "1");
    command
        .env("LAB_API_TYPE", "openai")
        .env("LAB_API_BASE", &project.provider.base)
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

#[test]
fn approve_lists_what_waits_in_the_journal() {
    let project = in_one_answer(&[("c1", "deploy", "live"), ("c2", "read", "a")]);
    stopped(&project, RUN);
    let id = id(&project);
    let run = |arguments: &str| project.run(arguments);
    let file = project.folder.path("p.lmt.mjs").canonicalize().unwrap();
    let outcome = run("approve --journal=.lmthing/journal.db");
    let expected = format!("c1\n  deploy, in the run {id} of {}\n    to: \"live\"\n", file.display());
    assert_eq!((outcome.code, outcome.stdout), (0, expected), "{}", outcome.stderr);
    assert!(outcome.stderr.contains(&format!("--approve c1 or lmthing resume {id}")), "{}", outcome.stderr);
    let listed = run("approve --json --journal=.lmthing/journal.db").object();
    let call = json!({ "id": "c1", "name": "deploy", "args": { "to": "live" }, "run": id, "file": file });
    assert_eq!(listed, json!([call]));
    let outcome = run("approve c1 yes");
    assert_eq!((outcome.code, outcome.stdout.as_str()), (2, ""), "{outcome:?}");
    assert!(outcome.stderr.contains(&format!("lmthing resume {id} --approve c1")), "{}", outcome.stderr);
    // What it says decides.
    done(&project, &format!("resume {id} --deny c1"));
    let outcome = run("approve --journal=.lmthing/journal.db");
    assert_eq!((outcome.code, outcome.stderr.as_str()), (0, "Nothing waits for approval.\n"));
    assert_eq!(run("approve --journal=other.db").code, 1);
}
