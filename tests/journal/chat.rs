//! Conversations in the journal (docs/reference/chat.md): each turn is there before it is shown as done, and a
//! conversation that was killed loses no turn and asks nothing twice. `LMTHING_KILLS=100` kills more often.

use std::{
    collections::BTreeSet,
    io::Write,
    process::{Child, Stdio},
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::support::{
    Outcome, Running,
    resume::{
        PRELUDE, Project,
        journal::Journal,
        provider::{Conversation, Provider, Turn},
    },
    wait_until,
};

const LINES: usize = 8;

const SOURCE: &str = "
export const config = { model: 'lab:m' };
export default ({ defState, defSystem, defTool }) => {
  const [count, setCount] = defState('count', 0);
  defSystem('count', `who=root. The count is ${count}.`);
  defTool('add', 'Adds one.', none, () => { setCount((before) => before + 1); note('added'); return 'done'; });
};
";

/// Calls the tool once for each message of the user.
fn answer(conversation: &Conversation) -> Turn {
    let messages = conversation.body["messages"].as_array().unwrap();
    let turn = match messages.last().unwrap()["role"].as_str() {
        Some("user") => Turn::text("Wait. ").call(&format!("call-{}", conversation.step), "add", &json!({})),
        _ => Turn::text(&format!("All {} messages are read.", messages.len())),
    };
    turn.slowly(Duration::from_millis(2))
}

fn project(answer: impl Fn(&Conversation) -> Turn + Send + Sync + 'static) -> Project {
    Project::new(&format!("{PRELUDE}{SOURCE}"), Provider::start(answer))
}

fn lines(from: usize) -> String {
    (from..LINES).map(|number| format!("line {number}\n")).collect()
}

/// Starts a command with these lines on its standard input.
fn start(project: &Project, arguments: &str, lines: &str) -> Child {
    let mut child = project.command(arguments).stdin(Stdio::piped()).spawn().unwrap();
    // A process that has ended already does not read them.
    let _ = child.stdin.take().unwrap().write_all(lines.as_bytes());
    child
}

fn chat(project: &Project, arguments: &str, lines: &str) -> Outcome {
    Outcome::from(start(project, arguments, lines).wait_with_output().unwrap())
}

fn turns(journal: Option<&Journal>) -> usize {
    journal.map_or(0, |journal| journal.entries.iter().filter(|(_, entry)| entry.get("said").is_some()).count())
}

fn answers(journal: Option<&Journal>) -> BTreeSet<String> {
    let entries = journal.into_iter().flat_map(|journal| &journal.entries);
    entries.filter_map(|(_, entry)| Some(format!("root {}", entry.get("answered")?["step"]))).collect()
}

#[test]
fn a_conversation_that_is_killed_loses_no_turn_and_asks_nothing_twice() {
    let whole = project(answer);
    let began = Instant::now();
    let undisturbed = chat(&whole, "chat p.lmt.mjs", &lines(0));
    let took = began.elapsed();
    assert_eq!((undisturbed.code, undisturbed.stdout.lines().count()), (0, LINES), "{undisturbed:?}");
    let number = |name: &str| std::env::var(name).ok()?.parse().ok();
    let (kills, seed) = (number("LMTHING_KILLS").unwrap_or(8), number("LMTHING_SEED").unwrap_or(fastrand::u64(..)));
    eprintln!("LMTHING_SEED={seed}: {took:?}");
    let mut random = fastrand::Rng::with_seed(seed);
    let project = project(answer);
    for _ in 0..kills {
        let (journal, asked) = (project.journal(), project.provider.count());
        let known = answers(journal.as_ref());
        let said = turns(journal.as_ref());
        let arguments = if said > 0 { "chat --resume" } else { "chat p.lmt.mjs" };
        let mut child = start(&project, arguments, &lines(said));
        thread::sleep(took.mul_f64(random.f64() * 0.5));
        child.kill().unwrap();
        child.wait().unwrap();
        for name in project.provider.names().iter().skip(asked) {
            assert!(!known.contains(name), "{name} was answered and is asked again");
        }
        // Killed before it had said anything, a conversation is not gone on with.
        if turns(project.journal().as_ref()) == 0 {
            let _ = std::fs::remove_dir_all(project.folder.path(".lmthing"));
        }
    }
    let said = turns(project.journal().as_ref());
    let arguments = if said > 0 { "chat --resume" } else { "chat p.lmt.mjs" };
    let outcome = chat(&project, arguments, &lines(said));
    assert_eq!(outcome.code, 0, "{outcome:?}");
    let last = |project: &Project| project.provider.requests().last().unwrap().messages();
    assert_eq!(last(&project), last(&whole), "the conversation is as if nothing had happened");
}

#[test]
fn a_turn_is_in_the_journal_before_its_line_ends() {
    let project = project(|conversation| Turn::text(&format!("answer {}", conversation.step)));
    let mut running = Running::of(project.command("chat p.lmt.mjs").stdin(Stdio::piped()));
    for turn in 0..3 {
        running.type_text(&format!("line {turn}\n"));
        running.wait_for(&format!("answer {turn}\n"), 1);
        let entries = project.journal().unwrap().entries;
        let ended = entries.iter().filter(|(_, entry)| entry["step-ends"]["endsTurn"] == true).count();
        assert_eq!(ended, turn + 1);
    }
    wait_until("the last answer is marked as shown", || shown(&project) == 3);
    running.signal("KILL");
    assert_eq!(running.end().code, -1);
    // All of it was answered, so nothing is asked.
    let outcome = chat(&project, "chat --resume last", "");
    assert_eq!((outcome.code, outcome.stdout.as_str(), project.provider.count()), (0, "", 3), "{outcome:?}");
}

fn shown(project: &Project) -> usize {
    project.journal().unwrap().entries.iter().filter(|(_, entry)| *entry == "shown").count()
}

#[test]
fn an_answer_that_was_not_shown_is_printed_first() {
    for (output, answer) in [("", "one"), ("export const output = z.object({ n: z.number() });", "{\"n\":1}")] {
        let source = format!("{PRELUDE}{output}{SOURCE}");
        let project = Project::new(&source, Provider::start(move |_| Turn::text(answer)));
        assert_eq!(chat(&project, "chat p.lmt.mjs", "a\n").stdout, format!("{answer}\n"));
        // As if the process had been killed between the journal and the output.
        let journal = rusqlite::Connection::open(project.folder.path(".lmthing/journal.db")).unwrap();
        let removed = journal.execute(r#"DELETE FROM entries WHERE entry IN ('"shown"', '"ends"')"#, ()).unwrap();
        assert_eq!(removed, 2);
        drop(journal);
        let outcome = chat(&project, "chat --resume", "");
        assert_eq!((outcome.code, outcome.stdout), (0, format!("{answer}\n")));
        assert!(outcome.stderr.contains("it may have been shown before"), "{}", outcome.stderr);
        assert_eq!(project.provider.count(), 1);
        assert_eq!(chat(&project, "chat --resume", "").stdout, "");
    }
}

#[test]
fn a_turn_that_was_broken_off_is_asked_again_at_once() {
    let project = project(|conversation| match conversation.step {
        0 => Turn::text("one"),
        _ => Turn::text("this answer takes long to come").slowly(Duration::from_millis(200)),
    });
    let mut running = Running::of(project.command("chat p.lmt.mjs").stdin(Stdio::piped()));
    running.type_text("a\nb\n");
    running.wait_for("this ", 1);
    running.signal("KILL");
    running.end();
    let outcome = chat(&project, "chat --resume", "");
    assert_eq!((outcome.code, outcome.stdout.as_str()), (0, "this answer takes long to come\n"), "{outcome:?}");
    assert_eq!(project.provider.names(), ["root 0", "root 1", "root 1"]);
}

#[test]
fn a_turn_that_fails_ends_the_command_and_is_asked_again() {
    let project = project(|conversation| match conversation.messages().contains("no") {
        true => Turn::failure(400),
        false => Turn::text("yes"),
    });
    let outcome = chat(&project, "chat p.lmt.mjs", "fine\nno\nnever\n");
    assert_eq!((outcome.code, outcome.stdout.as_str()), (3, "yes\n"), "{outcome:?}");
    assert!(outcome.stderr.contains("to go on: lmthing chat --resume "), "{outcome:?}");
    assert_eq!(project.provider.count(), 2);
    let outcome = chat(&project, "chat --resume", "");
    assert_eq!((outcome.code, project.provider.count()), (3, 3), "{outcome:?}");
}

fn messages(project: &Project) -> Vec<Value> {
    let last = project.provider.requests().pop().unwrap();
    last.body["messages"].as_array().unwrap().iter().map(|message| message["content"].clone()).collect()
}

#[test]
fn run_and_resume_say_a_message_after_the_answer() {
    let source = "
export const config = { model: 'lab:m' };
export default ({ $ }) => { $`who=root. first`; };
";
    let provider = Provider::start(|conversation| Turn::text(&format!("answer {}", conversation.step)));
    let project = Project::new(source, provider);
    let outcome = project.run("run --journal p.lmt.mjs --say second --say=third");
    assert_eq!((outcome.code, outcome.stdout.as_str()), (0, "answer 0\nanswer 1\nanswer 2\n"), "{outcome:?}");
    let outcome = project.run("resume last --say fourth");
    assert_eq!((outcome.code, outcome.stdout.as_str()), (0, "answer 3\n"), "{outcome:?}");
    let expected =
        ["who=root. first", "answer 0", "second", "answer 1", "third", "answer 2", "fourth"].map(Value::from);
    assert_eq!(messages(&project), expected);
    let runs = project.run("runs --json").object();
    assert_eq!((&runs[0]["status"], &runs[0]["steps"], &runs[1]), (&json!("done"), &json!(4), &Value::Null));
    // Without a message, a run that is over has nothing to do.
    let outcome = project.run("resume last");
    assert_eq!((outcome.code, project.provider.count()), (0, 4), "{outcome:?}");
    // A run becomes a conversation, and `--from` asks the message of a turn again.
    assert_eq!(chat(&project, "chat --resume", "fifth\n").stdout, "answer 4\n");
    let outcome = project.run("resume last --from 2");
    assert_eq!((outcome.code, outcome.stdout.as_str()), (0, "answer 2\n"), "{outcome:?}");
    assert_eq!(messages(&project), expected[..5]);
}

#[test]
fn a_run_that_was_broken_off_goes_on_before_the_message() {
    let project = Project::mocked(
        "
export const mock = [call('a', 'once'), text('one'), { type: 'finish' }, text('two')];
export default ({ $, defTool }) => {
  $`go`;
  defTool('once', 'Dies once.', none, () => { note('called'); die(); return 'alive'; });
};
",
    );
    project.killed();
    let outcome = project.run("resume last --say more");
    assert_eq!((outcome.code, outcome.stdout.as_str()), (0, "one\ntwo\n"), "{outcome:?}");
    assert_eq!(project.lines("done.log"), ["called", "called"]);
}

#[test]
fn limits_hold_for_one_process_of_a_conversation() {
    let project = project(|conversation| Turn::text(&format!("answer {}", conversation.step)));
    let outcome = chat(&project, "chat --max-steps 2 p.lmt.mjs", "a\nb\nc\n");
    assert_eq!((outcome.code, outcome.stdout.as_str()), (4, "answer 0\nanswer 1\n"), "{outcome:?}");
    assert!(outcome.stderr.contains("to go on: lmthing chat --resume "), "{outcome:?}");
    // The message that reached the limit is asked at once.
    let outcome = chat(&project, "chat --resume --max-steps 2", "d\n");
    assert_eq!((outcome.code, outcome.stdout.as_str()), (0, "answer 2\nanswer 3\n"), "{outcome:?}");
}

#[test]
fn the_model_of_the_command_line_is_kept() {
    let project = project(|conversation| Turn::text(conversation.body["model"].as_str().unwrap()));
    assert_eq!(chat(&project, "chat -m lab:one p.lmt.mjs", "a\n").stdout, "one\n");
    assert_eq!(chat(&project, "chat --resume", "b\n").stdout, "one\n");
    assert_eq!(chat(&project, "chat --resume -m lab:two", "c\n").stdout, "two\n");
    assert_eq!(chat(&project, "chat --resume", "d\n").stdout, "two\n");
}

#[test]
fn a_conversation_is_no_test() {
    let project = project(|_| Turn::text("yes"));
    chat(&project, "chat p.lmt.mjs", "a\n");
    let outcome = project.run("runs export last --as-test");
    assert_eq!(outcome.code, 1, "{outcome:?}");
    assert!(outcome.stderr.contains("is a conversation, whose messages a test cannot say"), "{outcome:?}");
}

#[test]
fn a_turn_that_failed_by_its_answer_or_its_steps_is_asked_again() {
    let source = "
import { z } from 'zod';
export const config = { model: 'lab:m', options: { outputRetries: 1 } };
export const output = z.object({ n: z.number() });
export default ({ def }) => { def('WHO', 'who=root.'); };
";
    let answer = |conversation: &Conversation| match conversation.step {
        0..3 => Turn::text("no"),
        _ => Turn::text(r#"{"n":1}"#),
    };
    let project = Project::new(source, Provider::start(answer));
    assert_eq!((chat(&project, "chat p.lmt.mjs", "a\n").code, project.provider.count()), (3, 2));
    assert_eq!((chat(&project, "chat --resume", "").code, project.provider.count()), (3, 3));
    let outcome = chat(&project, "chat --resume", "");
    assert_eq!((outcome.code, outcome.stdout.as_str()), (0, "{\"n\":1}\n"), "{outcome:?}");
    let steps = format!("{PRELUDE}{SOURCE}").replace("'lab:m'", "'lab:m', options: { maxSteps: 1 }");
    let project = Project::new(&steps, Provider::start(self::answer));
    let outcome = chat(&project, "chat p.lmt.mjs", "a\n");
    assert_eq!((outcome.code, project.provider.count()), (4, 1), "{outcome:?}");
    let outcome = chat(&project, "chat --resume", "");
    assert_eq!((outcome.code, outcome.stdout.as_str()), (0, "All 4 messages are read.\n"), "{outcome:?}");
    assert_eq!(project.lines("done.log"), ["added"]);
}

#[test]
fn messages_that_a_killed_run_has_not_said_are_said_by_resume() {
    let project = project(|conversation| match conversation.step {
        1 | 4 => Turn::text("this answer takes long to come").slowly(Duration::from_millis(200)),
        step => Turn::text(&format!("answer {step}")),
    });
    let killed = |arguments: &str| {
        let mut running = Running::of(&mut project.command(arguments));
        running.wait_for("this ", 1);
        running.signal("KILL");
        running.end();
    };
    killed("run --journal --say a --say b --say c p.lmt.mjs");
    let outcome = project.run("resume last --say d");
    let expected = "this answer takes long to come\nanswer 2\nanswer 3\n";
    assert_eq!((outcome.code, outcome.stdout.as_str()), (0, expected), "{outcome:?}");
    let said = messages(&project);
    assert_eq!([&said[1], &said[3], &said[5], &said[7]], ["a", "b", "c", "d"]);
    killed("resume last --say e --say f");
    let outcome = project.run("resume last");
    assert_eq!(
        (outcome.code, outcome.stdout.as_str()),
        (0, "this answer takes long to come\nanswer 5\n"),
        "{outcome:?}"
    );
    let said = messages(&project);
    assert_eq!([&said[9], &said[11]], ["e", "f"]);
}

#[test]
fn the_last_conversation_is_the_one_in_which_something_was_said_last() {
    let project = project(|conversation| Turn::text(&format!("answer {}", conversation.step)));
    chat(&project, "chat p.lmt.mjs", "old\n");
    project.run("run --journal --say new p.lmt.mjs");
    let id = project.run("runs --json").object()[0]["id"].as_str().unwrap().to_owned();
    chat(&project, "chat --resume", "to the old one\n");
    assert_eq!(messages(&project)[1], "old");
    chat(&project, &format!("chat --resume {id}"), "to the new one\n");
    chat(&project, "chat --resume last", "again\n");
    assert_eq!((&messages(&project)[1], &messages(&project)[3]), (&json!("new"), &json!("to the new one")));
}
