//! `lmthing chat` at a terminal: what a person types, and what the screen shows.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::PathBuf,
    sync::atomic::{AtomicBool, Ordering},
};

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::{
    support::{Folder, http, terminal::Terminal},
    view_requests::read_page,
};

/// A file whose model says these items. `wait` is a tool that is done once the file `go` exists.
fn file(items: &str) -> String {
    format!(
        "import fs from 'node:fs';
import {{ z }} from 'zod';
export const config = {{ model: 'mock' }};
export const mock = [{items}];
const done = () => fs.existsSync('go');
export default ({{ defTool, defSystem }}) => {{
  defSystem('role', 'You chat.');
  defTool('wait', 'Waits.', z.object({{}}), async (_, {{ abortSignal }}) => {{
    while (!done() && !abortSignal.aborted) await new Promise((resolve) => setTimeout(resolve, 5));
    return 'waited';
  }});
  defTool('deploy', 'Deploys.', z.object({{ to: z.string() }}), ({{ to }}) => `deployed to ${{to}}`, {{ needsApproval: true }});
}};
"
    )
}

/// A whole answer.
fn text(text: &str) -> String {
    format!("{}, {{ type: 'finish' }}", piece(text))
}

/// The beginning of an answer.
fn piece(text: &str) -> String {
    format!("{{ type: 'text', text: {} }}", Value::from(text))
}

const WAIT: &str = "{ type: 'tool-call', toolName: 'wait', args: {} }";

struct Chat {
    folder: Folder,
    terminal: Terminal,
}

/// Starts at the first prompt.
fn chat(items: &[&str]) -> Chat {
    let chat = start(Folder::of(&file(&items.join(","))), "chat p.lmt.mjs", &[], (24, 80));
    chat.terminal.wait_for_prompt();
    chat
}

fn start(folder: Folder, arguments: &str, variables: &[(&str, &str)], (rows, columns): (u16, u16)) -> Chat {
    let mut command = folder.command(arguments);
    command.env_remove("NO_COLOR").env("TERM", "xterm-256color").env("XDG_STATE_HOME", folder.path("state"));
    command.envs(variables.iter().copied());
    let terminal = Terminal::start(&command, rows, columns);
    Chat { folder, terminal }
}

impl Chat {
    /// Types a line, and waits for what the screen shows of it and then for the next prompt.
    fn say(&self, line: &str, shown: &str) -> String {
        self.terminal.type_text(&format!("{line}\r"));
        self.terminal.wait_for(shown);
        self.terminal.wait_for_prompt()
    }

    /// The texts of the user in the conversation, as `/save` writes them.
    fn said(&self) -> Vec<String> {
        self.saved("user")
    }

    fn saved(&self, role: &str) -> Vec<String> {
        let name = format!("saved-{role}.json");
        self.say(&format!("/save {name}"), &format!("Wrote {name}."));
        let messages: Value = serde_json::from_str(&fs::read_to_string(self.folder.path(&name)).unwrap()).unwrap();
        let of_role = messages.as_array().unwrap().iter().filter(|message| message["role"] == role);
        let parts = of_role.flat_map(|message| message["content"].as_array().cloned().unwrap_or_default());
        parts.filter_map(|part| part["text"].as_str().map(str::to_owned)).collect()
    }

    /// Leaves, and expects a terminal as it was before.
    fn leave(mut self) -> Folder {
        self.terminal.type_text("\x04");
        assert_eq!(self.terminal.end(), 0);
        self.terminal.wait_until_usual();
        self.folder
    }
}

fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

#[test]
fn lines_are_messages_and_commands() {
    let chat = chat(&[&text("Hello?"), &text("Hi there."), &text("Hi again."), &text("Fine.")]);
    chat.say("helo", "Hello?");
    chat.say("/undo", "taken back");
    chat.say("hello", "Hi there.");
    chat.say("/retry", "Hi again.");
    let screen = chat.say("/hlep", "did you mean '/help'?");
    assert!(screen.contains("there is no command /hlep"), "{screen}");
    let screen = chat.say("/help", "//word");
    assert!(screen.contains("/save FILE") && screen.contains("//word"), "{screen}");
    chat.say("//help me", "Fine.");
    chat.say("/cost", "4 steps");
    chat.say("/model", "mock:");
    chat.say("/system", "nothing is added");
    chat.say("/system Be brief.", "This is added");
    assert_eq!(chat.said(), ["hello", "/help me"]);
    let screen = chat.say("/save saved-user.json", "exists");
    assert!(screen.contains("overwrites nothing"), "{screen}");
    chat.leave();
}

#[test]
fn exit_and_ctrl_d_leave_and_ctrl_c_drops_the_line() {
    let mut first = chat(&[&text("Hi.")]);
    first.terminal.type_text("not this");
    first.terminal.wait_for("> not this");
    first.terminal.type_text("\x03");
    first.terminal.wait_for_prompt();
    first.say("this", "Hi.");
    assert_eq!(first.said(), ["this"]);
    first.terminal.type_text("/exit\r");
    assert_eq!(first.terminal.end(), 0);
    first.terminal.wait_until_usual();
    // Ctrl-D within a line is no end.
    let second = chat(&[&text("Hi.")]);
    second.terminal.type_text("ab\x04\x01\x04\r");
    second.terminal.wait_for("Hi.");
    second.terminal.wait_for_prompt();
    assert_eq!(second.said(), ["b"]);
    second.leave();
}

#[test]
fn several_lines_are_one_message() {
    let chat = chat(&[&text("one"), &text("two"), &text("three"), &text("four")]);
    chat.say("\"\"\"\r/undo\r\rlast\"\"\"", "one");
    chat.say("first \\\rsecond", "two");
    chat.say("\x1b[200~pasted \\\r  lines\r\x1b[201~", "three");
    chat.say("日本語と\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467} e\u{301}", "four");
    let expected = [
        "/undo\n\nlast",
        "first \nsecond",
        "pasted \\\n  lines",
        "日本語と\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467} e\u{301}",
    ];
    assert_eq!(chat.said(), expected);
    chat.leave();
}

#[test]
fn what_is_typed_during_an_answer_is_the_next_line() {
    let chat = chat(&[&piece("Wait."), WAIT, &text("Done."), &text("Next.")]);
    chat.terminal.type_text("go\r");
    chat.terminal.wait_for("Wait.");
    chat.terminal.type_text("second \x1b[200~of\rtwo lines\x1b[201~\rthi");
    chat.folder.write("go", "");
    chat.terminal.wait_for("Next.");
    chat.terminal.wait_until("the unfinished line", |screen| screen.contents().trim_end().ends_with("\n> thi"));
    chat.terminal.type_text("\x15");
    chat.terminal.wait_for_prompt();
    assert_eq!(chat.said(), ["go", "second of\ntwo lines"]);
    chat.leave();
}

#[test]
fn ctrl_c_stops_the_answer_and_not_the_chat() {
    let chat = chat(&[&piece("Wait."), WAIT, &text("Again.")]);
    chat.terminal.type_text("go\r");
    chat.terminal.wait_for("Wait.");
    chat.terminal.type_text("typed\x03");
    chat.terminal.wait_for("(stopped)");
    chat.terminal.wait_until("the typed line", |screen| screen.contents().trim_end().ends_with("> typed"));
    chat.terminal.type_text("\r");
    chat.terminal.wait_for("Again.");
    chat.terminal.wait_for_prompt();
    assert_eq!(chat.said(), ["go", "typed"]);
    assert_eq!(chat.saved("assistant"), ["Wait.", "Again."]);
    chat.leave();
}

#[test]
fn a_failing_turn_is_shown_and_the_chat_goes_on() {
    let chat = chat(&["{ type: 'error', error: 'the model is out' }", &text("Back."), &text("Third.")]);
    let screen = chat.say("one", "the model is out");
    assert!(screen.contains("Error:"), "{screen}");
    chat.say("two", "Back.");
    chat.say("three", "Third.");
    assert_eq!(chat.said(), ["one", "two", "three"]);
    chat.leave();
}

#[test]
fn a_question_for_approval_reads_the_answer_alone() {
    let call = "{ type: 'tool-call', toolName: 'deploy', args: { to: 'live' } }";
    let chat = chat(&[call, &text("It is live."), call, &text("It is not.")]);
    chat.terminal.type_text("deploy\r");
    chat.terminal.wait_for("Approve the call of deploy?");
    chat.terminal.wait_for("no with a reason >");
    chat.terminal.type_text("y\r");
    chat.terminal.wait_for("It is live.");
    chat.terminal.wait_for_prompt();
    chat.terminal.type_text("again\r");
    chat.terminal
        .wait_until("the second question", |screen| screen.contents().trim_end().ends_with("no with a reason >"));
    // Denies nothing and approves nothing, but stops the answer.
    chat.terminal.type_text("\x03");
    chat.terminal.wait_for("(stopped)");
    chat.terminal.wait_for_prompt();
    assert_eq!(chat.said(), ["deploy", "again"]);
    chat.leave();
}

#[test]
fn signals_leave_the_terminal_as_it_was() {
    for is_answering in [false, true] {
        let mut chat = chat(&[&piece("Wait."), WAIT]);
        if is_answering {
            chat.terminal.type_text("go\r");
            chat.terminal.wait_for("Wait.");
        }
        chat.terminal.signal(Signal::TERM);
        assert_eq!(chat.terminal.end(), 143);
        chat.terminal.wait_until_usual();
    }
}

#[test]
fn a_resumed_chat_shows_the_earlier_talk() {
    let first = chat(&[&text("Hi\u{1b}[2J there."), &text("Later.")]);
    first.say("hello", "there.");
    first.terminal.type_text("/exit\r");
    let Chat { folder, mut terminal } = first;
    assert_eq!(terminal.end(), 0);
    let second = start(folder, "chat --resume", &[], (24, 40));
    let screen = second.terminal.wait_for_prompt();
    assert!(screen.contains("> hello\nHi there.\n\n"), "{screen}");
    // From the history.
    second.terminal.type_text("\x1b[A\x1b[A\r");
    second.terminal.wait_for("Later.");
    second.terminal.wait_for_prompt();
    assert_eq!(second.said(), ["hello", "hello"]);
    let history = PathBuf::from("state/lmthing/chat-history");
    let mode = fs::metadata(second.folder.path(&history.to_string_lossy())).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    second.leave();
}

#[test]
fn a_resize_does_no_harm() {
    let long = "The quick brown fox jumps over the lazy dog. ".repeat(4);
    let chat = chat(&[&piece(&format!("{long}\u{1b}]0;title\u{7}")), WAIT, &text("Done."), &text("End.")]);
    chat.terminal.type_text("a line that is longer than forty columns are");
    chat.terminal.wait_for("columns are");
    chat.terminal.resize(24, 40);
    chat.terminal.wait_until("the line on two rows", |screen| screen.contents().contains("> a line"));
    chat.terminal.type_text(" wide\r");
    chat.terminal.wait_for("lazy dog.");
    chat.terminal.resize(24, 100);
    chat.folder.write("go", "");
    chat.terminal.wait_for("Done.");
    chat.terminal.wait_for_prompt();
    chat.say("next", "End.");
    assert_eq!(chat.said(), ["a line that is longer than forty columns are wide", "next"]);
    chat.leave();
}

#[test]
fn without_colours_and_on_plain_terminals() {
    let plain = start(Folder::of(&file(&text("Hi."))), "chat p.lmt.mjs", &[("NO_COLOR", "1")], (24, 40));
    plain.terminal.wait_for_prompt();
    plain.say("hello", "Hi.");
    plain.terminal.wait_until("no bold text", |screen| {
        (0..24).all(|row| (0..40).all(|column| screen.cell(row, column).is_none_or(|cell| !cell.bold())))
    });
    plain.leave();
    let mut dumb = start(Folder::of(&file(&text("Hi."))), "chat p.lmt.mjs", &[("TERM", "dumb")], (24, 40));
    dumb.terminal.wait_for_prompt();
    dumb.say("a \\\rb", "Hi.");
    assert_eq!(dumb.said(), ["a \nb"]);
    dumb.terminal.type_text("\x04");
    assert_eq!(dumb.terminal.end(), 0);
    dumb.terminal.wait_for("\nto go on: lmthing chat --resume");
}

#[test]
fn commands_are_completed_and_a_page_is_written() {
    let chat = start(
        Folder::of(&file(&text("Hi."))),
        "chat p.lmt.mjs",
        &[("LMTHING_BROWSER", "/nonexistent/browser")],
        (24, 80),
    );
    chat.terminal.wait_for_prompt();
    chat.say("hello", "Hi.");
    let screen = chat.say("/vi\t", "It could not be opened");
    assert!(screen.contains("> /view") && screen.contains("Wrote lmthing-"), "{screen}");
    chat.say("/save talk.md", "Wrote talk.md.");
    let talk = fs::read_to_string(chat.folder.path("talk.md")).unwrap();
    assert!(talk.contains("## User\n\nhello\n\n## Assistant\n\nHi.\n"), "{talk}");
    chat.leave();
}

#[test]
fn failed_turns_are_asked_again_or_taken_back() {
    let error = "{ type: 'error', error: 'the model is out' }";
    let chat = chat(&[&text("one"), error, &text("two"), error, &text("three")]);
    chat.say("a", "one");
    chat.say("b", "the model is out");
    chat.say("/retry", "two");
    chat.terminal.type_text("c\r");
    chat.terminal.wait_until("the second failure", |screen| screen.contents().matches("the model is out").count() == 2);
    chat.terminal.wait_for_prompt();
    chat.say("/undo", "taken back");
    chat.say("d", "three");
    assert_eq!((chat.said(), chat.saved("assistant")), (texts(&["a", "b", "d"]), texts(&["one", "two", "three"])));
    let folder = chat.leave();
    let shown = folder.run("runs show last").stdout;
    assert!(shown.contains("\ntaken back from step 1 on\nstep 1 ·"), "{shown}");
    assert!(shown.contains("\ntaken back from step 2 on\nstep 2 ·"), "{shown}");
    let states: Vec<_> =
        read_page(&folder)["steps"].as_array().unwrap().iter().map(|step| step["state"].clone()).collect();
    let back = Value::from("taken back");
    assert_eq!(states, [Value::Null, back.clone(), Value::Null, back, Value::Null]);
    let requests: Vec<_> = read_page(&folder)["steps"].as_array().unwrap().iter().map(user_texts).collect();
    assert_eq!(requests, ["a", "a b", "a b", "a b c", "a b d"]);
}

/// What the user has said in the request of a step.
fn user_texts(step: &Value) -> String {
    let messages = step["request"]["messages"].as_array().unwrap().iter().filter(|message| message["role"] == "user");
    messages.map(|message| message["content"][0]["text"].as_str().unwrap()).collect::<Vec<_>>().join(" ")
}

#[test]
fn what_was_taken_back_is_said_no_more() {
    let folder = Folder::of(&file(&["one", "two", "three", "four"].map(text).join(",")));
    assert_eq!(folder.run("run --journal --say A --say B p.lmt.mjs").stdout, "one\ntwo\n");
    let chat = start(folder, "chat --resume", &[], (24, 80));
    chat.terminal.wait_for_prompt();
    chat.say("/undo", "taken back");
    chat.terminal.type_text("/undo\r");
    chat.terminal.wait_until("the second /undo", |screen| screen.contents().matches("taken back").count() == 2);
    chat.terminal.wait_for_prompt();
    chat.say("uno", "three");
    let folder = chat.leave();
    assert_eq!(folder.run("resume last --say dos").stdout, "four\n");
    // One answer, of the items of the mock that this part of the conversation has not played.
    assert_eq!(folder.run("resume last --from 1").stdout, "one\n");
    assert_eq!(folder.run("resume last").stdout, "");
    let requests: Vec<_> = read_page(&folder)["steps"].as_array().unwrap().iter().map(user_texts).collect();
    assert_eq!(requests.last().unwrap(), "uno dos", "{requests:?}");
}

/// A server that fails when it is asked `bad`, and has the whole conversation but the last message in its cache.
fn serve_with_cache() -> String {
    let was_asked = AtomicBool::new(false);
    let address = http::serve(move |request| {
        let body = request.json();
        let messages = body["messages"].as_array().unwrap();
        if messages.last().unwrap()["content"] == "bad" && !was_asked.swap(true, Ordering::Relaxed) {
            return http::response("500 Oh", "application/json", r#"{"error":{"message":"no luck"}}"#);
        }
        let input = messages.len() * 1_000;
        let chunk = json!({
            "choices": [{ "index": 0, "delta": { "content": "fine" }, "finish_reason": "stop" }],
            "usage": {
                "prompt_tokens": input, "completion_tokens": 5, "total_tokens": input + 5,
                "prompt_tokens_details": { "cached_tokens": input - 1_000 },
            },
        });
        http::response("200 OK", "text/event-stream", &format!("data: {chunk}\n\ndata: [DONE]\n\n"))
    });
    format!("http://{address}")
}

#[test]
fn a_provider_that_fails_is_asked_again_and_the_cost_has_what_its_cache_saved() {
    let source = "export const config = { model: 'lab:m', options: { maxRetries: 0 }, prices: { 'lab:m': { input: 1, output: 1, cachedInput: 0.1 } } };
export default () => {};
";
    let address = serve_with_cache();
    let variables = [("LAB_API_BASE", address.as_str()), ("LAB_API_TYPE", "openai")];
    let chat = start(Folder::of(source), "chat p.lmt.mjs", &variables, (24, 100));
    chat.terminal.wait_for_prompt();
    chat.say("/cost", "0 tokens in");
    chat.say("a", "fine");
    chat.say("/cost", "1 step ");
    chat.say("bad", "status 500");
    chat.say("/retry", "fine");
    let screen = chat.say("/cost", "2 steps");
    assert!(screen.contains("4,000 tokens in (2,000 cached), 10 out · $0.00221 · 50 % from the cache"), "{screen}");
    assert_eq!(chat.said(), ["a", "bad"]);
    chat.leave();
}
