//! `lmthing eval` (docs/reference/eval.md) against a server that counts what is asked.

mod again;
mod batch;
mod checks;
mod ends;
mod files;
mod judged;
mod recorded;
mod rows;

use std::{
    process::Command,
    sync::{Arc, Condvar, Mutex},
    time::Duration,
};

use serde_json::{Value, json};

use crate::{
    rows::results_in,
    support::{
        Folder, Outcome, Running,
        http::{response, serve},
    },
};

const PROMPT: &str = "
export const input = {
  type: 'object', properties: { n: { type: 'number' }, style: { type: 'string' } }, required: ['n'],
};
export const config = { model: 'lab:m' };
export default ({ $ }, { n, style = '' }) => { $`row ${n}${style}`; };
";

/// The eval file with these variants.
fn eval_file(rows: &str, scores: &str, variants: &str) -> String {
    let variants = if variants.is_empty() { String::new() } else { format!("export const variants = {variants};") };
    format!(
        "export const file = './p.lmt.mjs';\nexport const rows = {rows};\n\
         export const scores = {{ {scores} }};\n{variants}\n"
    )
}

const RIGHT: &str = "right: ({ text, row }) => text === row.want";

/// Rows `{n, want}`.
fn rows(count: usize) -> String {
    let rows: Vec<Value> = (1..=count).map(|n| json!({ "n": n, "want": format!("row {n}") })).collect();
    json!(rows).to_string()
}

/// A request for an answer.
#[derive(Clone, Debug, PartialEq)]
struct Asked {
    model: String,
    text: String,
    body: Value,
}

/// What the server has seen, and what it does.
#[derive(Default)]
struct Seen {
    asked: Vec<Asked>,
    /// Answered requests.
    paid: Vec<Asked>,
    /// The texts that are refused.
    refused: Vec<String>,
    /// After so many answers no further request is answered.
    holds_after: Option<usize>,
    /// Whether each answer is another one.
    numbers_answers: bool,
    /// Whether no further judge is answered.
    holds_judges: bool,
    /// The number of processes that were killed, whose requests are not answered any more.
    killed: usize,
    /// Requests that wait for an answer.
    held: usize,
}

/// A folder with an eval, and the server that it asks.
struct Lab {
    folder: Folder,
    address: String,
    seen: Arc<(Mutex<Seen>, Condvar)>,
}

impl Lab {
    fn new(eval: &str) -> Lab {
        let seen = Arc::new((Mutex::new(Seen::default()), Condvar::new()));
        let stored = seen.clone();
        let address = serve(move |request| {
            let body = request.json();
            let content = &body["messages"].as_array().unwrap().last().unwrap()["content"];
            let text = content.as_str().unwrap_or_else(|| content[0]["text"].as_str().unwrap()).to_owned();
            let asked = Asked { model: body["model"].as_str().unwrap().to_owned(), text: text.clone(), body };
            let (seen, changed) = &*stored;
            let mut seen = seen.lock().unwrap();
            seen.asked.push(asked.clone());
            changed.notify_all();
            if seen.refused.contains(&text) {
                return response("400 Bad Request", "application/json", "{\"error\":{\"message\":\"no luck\"}}");
            }
            let killed = seen.killed;
            seen.held += 1;
            changed.notify_all();
            let is_judge = asked.model == "judge";
            let waits = |seen: &mut Seen| {
                let is_held = seen.holds_after.is_some_and(|most| seen.paid.len() >= most);
                seen.killed == killed && (is_held || (is_judge && seen.holds_judges))
            };
            seen = changed.wait_while(seen, waits).unwrap();
            seen.held -= 1;
            changed.notify_all();
            if seen.killed != killed {
                return String::new();
            }
            seen.paid.push(asked.clone());
            let number = if seen.numbers_answers { format!(", answer {}", seen.paid.len()) } else { String::new() };
            let text = match asked.model.as_str() {
                "judge" => json!({ "pass": !text.contains('!'), "reason": format!("because{number}") }).to_string(),
                _ => format!("{text}{number}"),
            };
            drop(seen);
            let delta = json!({ "choices": [{ "delta": { "content": text } }] });
            let end = json!({
                "choices": [{ "delta": {}, "finish_reason": "stop" }],
                "usage": { "prompt_tokens": 10, "completion_tokens": 2 },
            });
            let body = format!("data: {delta}\n\ndata: {end}\n\ndata: [DONE]\n\n");
            response("200 OK", "text/event-stream", &body)
        });
        Lab { folder: Folder::new(&[("p.lmt.mjs", PROMPT), ("e.eval.lmt.mjs", eval)]), address, seen }
    }

    fn command(&self, arguments: &str) -> Command {
        self.command_of("e.eval.lmt.mjs", arguments)
    }

    fn command_of(&self, eval: &str, arguments: &str) -> Command {
        let mut command = self.folder.command(&format!("eval {eval} {arguments}"));
        command.env("LAB_API_TYPE", "openai").env("LAB_API_BASE", format!("http://{}", self.address));
        command
    }

    fn eval(&self, arguments: &str) -> Outcome {
        Outcome::of(&mut self.command(arguments))
    }

    fn start(&self, arguments: &str) -> Running {
        Running::of(&mut self.command(arguments))
    }

    /// What was asked since the last call.
    fn take_asked(&self) -> Vec<Asked> {
        std::mem::take(&mut self.seen.0.lock().unwrap().asked)
    }

    /// The texts that were asked since the last call, sorted.
    fn take_texts(&self) -> Vec<String> {
        let mut texts: Vec<String> = self.take_asked().into_iter().map(|asked| asked.text).collect();
        texts.sort();
        texts
    }

    fn change(&self, change: impl FnOnce(&mut Seen)) {
        change(&mut self.seen.0.lock().unwrap());
        self.seen.1.notify_all();
    }

    /// Waits until the server has seen so many requests.
    fn wait_for_requests(&self, count: usize) {
        self.wait_until(|seen| seen.asked.len() >= count);
    }

    fn wait_until(&self, is_so: impl Fn(&Seen) -> bool) {
        let (seen, changed) = &*self.seen;
        let seen = seen.lock().unwrap();
        let (_seen, timeout) = changed.wait_timeout_while(seen, Duration::from_secs(60), |seen| !is_so(seen)).unwrap();
        assert!(!timeout.timed_out(), "the server waits for what does not come");
    }

    fn lines(&self) -> Vec<Value> {
        results_in(&self.folder, "out.jsonl")
    }

    /// `row variant model repeat` of each line of OUT.
    fn cells(&self) -> Vec<String> {
        let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let name = |line: &Value| ["row", "variant", "model", "repeat"].map(|key| text(&line[key])).join(" ");
        self.lines().iter().map(name).collect()
    }

    /// The names of all files that belong to OUT.
    fn files_of_out(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.folder.path("")).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
        let mut names: Vec<String> = names.filter(|name| name.starts_with("out.")).collect();
        names.sort();
        names
    }
}

/// The report of `--format json`.
fn report(outcome: &Outcome) -> Value {
    serde_json::from_str(&outcome.stdout).unwrap_or_else(|error| panic!("{error}: {outcome:?}"))
}
