//! Runs what the README, the skill, the guide and the reference show, as a reader who pastes it: each page in a folder
//! of its own, block after block.
//!
//! - A block whose first line is a comment with nothing but a file's name is that file.
//! - A `js` block with a default export and a mock model is run when a `text` block follows, which is its whole output.
//! - A `sh` block is run by bash and has to succeed. A `text` block after it is part of its output.
//! - A `console` block has commands, after `$ `, and what they print. `…` stands for any text.
//!
//! Comments that readers do not see change this for the block after them: `not run: REASON`, `exit CODE`, and
//! `with FILE … of PAGE` for files that another page has made.

use std::{
    cell::RefCell,
    collections::BTreeMap,
    fs,
    path::Path,
    process::{Command, Stdio},
    rc::Rc,
};

use serde_json::{Value, json};

use crate::{
    pages::{Block, blocks, is_documentation, pages},
    support::{Folder, http},
};

/// Their commands build or measure.
const OF_MAINTAINERS: [&str; 2] = ["docs/maintainers", "docs/benchmarks.md"];

/// Blocks that may be left out. Write a block so that it can be run instead of raising this.
const MOST_LEFT_OUT: usize = 17;

/// What real models answer: the output of the template `typed`.
const ANSWER: &str = r#"{"mood": "mixed", "topics": ["taste"], "summary": "Cold soup."}"#;

/// The tickets of docs/guide/evaluating.md by their teams; the first of each is clear without rules.
const TICKETS: [(&str, &[&str]); 2] = [
    ("billing", &["refund", "money back", "invoice of", "charged", "card has"]),
    ("sales", &["price for", "discount", "fifty", "longer trial"]),
];

#[test]
fn pages_run_as_they_are_written() {
    let runner = Runner { texts: documentation(), folders: RefCell::default(), address: serve_models() };
    let pages: Vec<_> = runner.texts.keys().map(|page| runner.folder(page)).collect();
    let failures: Vec<&String> = pages.iter().flat_map(|page| &page.failures).collect();
    assert!(failures.is_empty(), "{}", failures.iter().map(|failure| format!("\n{failure}\n")).collect::<String>());
    let sum = |count: fn(&Page) -> usize| pages.iter().map(|page| count(page)).sum::<usize>();
    let (run, left_out) = (sum(|page| page.run), sum(|page| page.left_out));
    assert!(run >= 38, "only {run} blocks were run");
    assert!(left_out <= MOST_LEFT_OUT, "{left_out} blocks are not run");
}

fn documentation() -> BTreeMap<String, String> {
    let page = |(path, text): (std::path::PathBuf, String)| (path.to_string_lossy().into_owned(), text);
    pages()
        .into_iter()
        .filter(|(path, _)| is_documentation(path) && !OF_MAINTAINERS.iter().any(|page| path.starts_with(page)))
        .map(page)
        .collect()
}

/// The address of a server that answers each request to a model of OpenAI.
fn serve_models() -> String {
    let answer = |request: &http::Request| {
        let body = events_of(&answer_to(&String::from_utf8_lossy(&request.body)));
        http::response("200 OK", "text/event-stream", &body)
    };
    format!("http://{}/v1", http::serve(answer))
}

fn answer_to(request: &str) -> String {
    if !request.contains("Which team") {
        return ANSWER.to_owned();
    }
    let known = |words: &&[&str]| if request.contains("Money, invoices") { words.len() } else { 1 };
    let is_of = |(_, words): &&(&str, &[&str])| words[..known(words)].iter().any(|word| request.contains(word));
    let team = TICKETS.iter().find(is_of).map_or("support", |(team, _)| team);
    json!({ "team": team }).to_string()
}

fn events_of(answer: &str) -> String {
    let event = |value: &Value| format!("data: {value}\n\n");
    let events = [
        json!({ "type": "response.created", "response": { "id": "r", "created_at": 0, "model": "gpt-6.1-sol" } }),
        json!({ "type": "response.output_item.added", "output_index": 0, "item": { "id": "m", "type": "message" } }),
        json!({ "type": "response.output_text.delta", "item_id": "m", "delta": answer }),
        json!({ "type": "response.output_item.done", "output_index": 0, "item": { "id": "m", "type": "message" } }),
        json!({ "type": "response.completed", "response": { "usage": { "input_tokens": 9, "output_tokens": 9 } } }),
    ];
    events.iter().map(event).collect()
}

/// A page that has been run.
struct Page {
    folder: Folder,
    failures: Vec<String>,
    /// The number of blocks that were run, and of those that were not.
    run: usize,
    left_out: usize,
}

struct Runner {
    texts: BTreeMap<String, String>,
    /// The folders of the pages that have been run.
    folders: RefCell<BTreeMap<String, Rc<Page>>>,
    address: String,
}

/// The comments before a block.
#[derive(Default)]
struct Marks {
    is_left_out: bool,
    exit_code: i32,
}

impl Runner {
    /// The folder of a page, which is run at the first call.
    fn folder(&self, page: &str) -> Rc<Page> {
        if let Some(known) = self.folders.borrow().get(page) {
            return known.clone();
        }
        let text = self.texts.get(page).unwrap_or_else(|| panic!("there is no page {page}"));
        let done = Page { folder: Folder::new(&[]), failures: Vec::new(), run: 0, left_out: 0 };
        let mut run = PageRun { runner: self, name: page, page: done };
        run.all(&blocks(text));
        let done = Rc::new(run.page);
        self.folders.borrow_mut().insert(page.to_owned(), done.clone());
        done
    }
}

struct PageRun<'a> {
    runner: &'a Runner,
    name: &'a str,
    page: Page,
}

impl PageRun<'_> {
    fn all(&mut self, blocks: &[Block]) {
        let mut marks = Marks::default();
        for (index, block) in blocks.iter().enumerate() {
            if block.language == "<!--" {
                self.mark(&mut marks, block);
                continue;
            }
            let marks = std::mem::take(&mut marks);
            if marks.is_left_out {
                self.page.left_out += 1;
                continue;
            }
            let shown = blocks.get(index + 1).filter(|next| next.language == "text").map(|next| next.text.as_str());
            self.block(block, shown, marks.exit_code);
        }
    }

    fn mark(&self, marks: &mut Marks, block: &Block) {
        let text = block.text.as_str();
        if text.starts_with("not run: ") {
            marks.is_left_out = true;
        } else if let Some(code) = text.strip_prefix("exit ") {
            marks.exit_code = code.parse().unwrap();
        } else if let Some((files, page)) = text.strip_prefix("with ").and_then(|rest| rest.split_once(" of ")) {
            let other = self.runner.folder(page);
            for file in files.split(' ') {
                let text =
                    fs::read_to_string(other.folder.path(file)).unwrap_or_else(|_| panic!("{page} has no {file}"));
                self.page.folder.write(file, &text);
            }
        } else {
            panic!("{}:{}: an unknown comment: {text}", self.name, block.line);
        }
    }

    fn block(&mut self, block: &Block, shown: Option<&str>, exit_code: i32) {
        let place = format!("{}:{}", self.name, block.line);
        let name = name_of(&block.text);
        if let Some(name) = name {
            self.page.folder.write(name, &block.text);
        }
        match block.language.as_str() {
            "js" | "ts" if block.text.contains("export default") && block.text.contains("model: 'mock'") => {
                let Some(shown) = shown else {
                    assert!(name.is_some(), "{place}: no text block with its output");
                    return;
                };
                let file = name.unwrap_or("shown.lmt.mjs");
                self.page.folder.write(file, &block.text);
                let (code, printed) = self.bash(&format!("lmthing run {file}"));
                self.expect(code == 0 && printed == shown, &place, &printed);
                if name.is_none() {
                    // Later blocks check or test the files that have names.
                    fs::remove_file(self.page.folder.path(file)).unwrap();
                }
            }
            "sh" => {
                let (code, printed) = self.bash(&block.text);
                let has_shown = shown.is_none_or(|shown| without_changes(&printed).contains(&without_changes(shown)));
                self.expect(code == exit_code && has_shown, &place, &format!("exit {code}\n{printed}"));
            }
            "console" => self.console(&place, &block.text),
            _ => return,
        }
        self.page.run += 1;
    }

    fn expect(&mut self, holds: bool, place: &str, printed: &str) {
        if !holds {
            self.page.failures.push(format!("{place}: this is printed:\n{printed}"));
        }
    }

    fn console(&mut self, place: &str, text: &str) {
        for part in format!("\n{text}").split("\n$ ").skip(1) {
            let (command, shown) = part.split_once('\n').unwrap_or((part, ""));
            let (_, printed) = self.bash(command);
            self.expect(is_like(&without_changes(&printed), &without_changes(shown)), place, &printed);
        }
    }

    /// Runs a script in the folder. Returns the exit code and both streams.
    fn bash(&self, script: &str) -> (i32, String) {
        let binaries = Path::new(env!("CARGO_BIN_EXE_lmthing")).parent().unwrap().display().to_string();
        let path = format!("{binaries}:{}", std::env::var("PATH").unwrap_or_default());
        let mut command = Command::new("bash");
        // A key is where the page has dots.
        let script = format!("exec 2>&1\n{}", script.replace('…', "x"));
        command
            .args(["-e", "-o", "pipefail", "-c", &script])
            .current_dir(self.page.folder.path(""))
            .stdin(Stdio::null());
        command.env_clear().env("PATH", path).env("HOME", self.page.folder.path("")).env("NO_COLOR", "1");
        command.env("OPENAI_API_KEY", "sk-test").env("OPENAI_BASE_URL", &self.runner.address);
        let output = command.env("LMTHING_BROWSER", "true").output().unwrap();
        (output.status.code().unwrap_or(-1), String::from_utf8(output.stdout).unwrap())
    }
}

/// `a.lmt.mjs` of a block that begins with `// a.lmt.mjs`.
fn name_of(text: &str) -> Option<&str> {
    let (_, name) = text.lines().next()?.split_once(' ').filter(|(comment, _)| ["//", "#", "--"].contains(comment))?;
    let is_name = name.contains('.') && name.chars().all(|c| c.is_ascii_alphanumeric() || "._-/".contains(c));
    is_name.then_some(name)
}

/// The text without what differs from run to run: ids of runs become `ID`, and times 0.
fn without_changes(text: &str) -> String {
    let words = text.trim_end().split_inclusive([' ', '\n']);
    let mut result = String::new();
    for word in words {
        let bare = word.trim_end();
        let rest = &word[bare.len()..];
        let is_id = bare.len() >= 16 && bare.chars().all(|c| c.is_ascii_hexdigit());
        let is_time = ["ms", "s"].contains(&bare);
        if is_time {
            let start = result.trim_end().rfind(' ').map_or(0, |at| at + 1);
            result.replace_range(start.., "0 ");
        }
        result.push_str(if is_id { "ID" } else { bare });
        result.push_str(rest);
    }
    result
}

/// Whether a text is like a pattern, in which `…` on a line of its own stands for any lines.
fn is_like(text: &str, pattern: &str) -> bool {
    let mut rest = text.trim();
    for (index, part) in pattern.split('…').map(str::trim).enumerate() {
        let Some(at) = rest.find(part).filter(|at| *at == 0 || index > 0) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.is_empty() || pattern.trim_end().ends_with('…')
}
