//! The text of the test file.

use std::{borrow::Cow, fmt::Write};

use serde_json::{Value, json};

use super::{
    exchanges::Call,
    input_files::InputFiles,
    literal::{WIDTH, comment, lines, literal, literal_with, string},
};
use lmthing_testing::RECORDED_MODEL;

/// Tools that take this long in a run may take longer than a test, in milliseconds.
const SLOW: u64 = 4_000;

pub(super) struct TestSource<'a> {
    pub(super) run: &'a str,
    /// The day of the run.
    pub(super) date: &'a str,
    /// The names of the prompt file, with and without its ending, of the test file and of the recording.
    pub(super) file: &'a str,
    pub(super) stem: &'a str,
    pub(super) recording: Cow<'a, str>,
    /// The command that runs the test, if it needs options.
    pub(super) command: Option<&'a str>,
    pub(super) input: Option<Value>,
    pub(super) input_files: InputFiles,
    pub(super) model: TestModel,
    pub(super) approved: Vec<&'a str>,
    pub(super) has_tools: bool,
    pub(super) tools_ms: u64,
    pub(super) calls: &'a [Call],
    pub(super) text: String,
    pub(super) output: Option<Value>,
}

/// The model that the test names.
#[derive(Debug)]
pub(super) enum TestModel {
    /// None: that of the file.
    OfFile,
    Named(String),
    /// None that exists, so that the recording answers for whichever model has answered; with the reason.
    Recorded(&'static str),
}

impl TestSource<'_> {
    pub(super) fn text(&self) -> String {
        let mut text =
            format!("// The run {} of {}, made a test by `lmthing runs export --as-test`.\n", self.run, self.date);
        if let Some(command) = self.command {
            let _ = writeln!(text, "// It needs what the run was given: {}", comment(command));
        }
        let title = string(&format!("{} answers as on {}", self.stem, self.date));
        let timeout = match self.tools_ms {
            SLOW.. => format!("{{ timeout: {}_000 }}, ", self.tools_ms.div_ceil(1_000) * 3),
            _ => String::new(),
        };
        let _ = write!(
            text,
            "{}import {{ expect, run, test }} from 'lmthing/test';\n\n{}test({title}, {timeout}async () => {{\n{}",
            self.input_files.import(),
            self.input_files.function(),
            self.call()
        );
        let _ = write!(text, "\n{}}});\n", self.expectations());
        text
    }

    /// The call of `run`.
    fn call(&self) -> String {
        let mut options = Vec::new();
        if let Some(input) = &self.input {
            let input = literal_with(input, (4, 11), &|value| self.input_files.call(value));
            options.push(format!("input: {input}"));
        }
        match &self.model {
            TestModel::OfFile => {}
            TestModel::Named(name) => options.push(format!("model: {}", string(name))),
            TestModel::Recorded(_) => options.push(format!("model: {}", string(RECORDED_MODEL))),
        }
        if !self.approved.is_empty() {
            options.push(format!("approve: {}", literal(&json!(self.approved), 4, 13)));
        }
        options.push(format!("recording: {}", string(&self.recording)));
        let file = string(&format!("./{}", self.file));
        let line = format!("  const answer = await run({file}, {{ {} }});", options.join(", "));
        let call = match line.contains('\n') || line.chars().count() > WIDTH {
            true => format!("  const answer = await run({file}, {});", lines('{', &options, '}', 2)),
            false => line,
        };
        format!("{}{call}\n", self.comment())
    }

    fn comment(&self) -> String {
        let mut text =
            "  // Fails when the prompt changes: each request is compared with the recorded one.\n".to_owned();
        if self.calls.iter().any(|call| call.is_own) {
            text += "  // Tools run again: what they return is part of the requests.\n";
        }
        if let TestModel::Recorded(why) = &self.model {
            let _ = writeln!(text, "  // {why}: '{RECORDED_MODEL}' names no model, so that the recording answers.");
        }
        text
    }

    fn expectations(&self) -> String {
        let own: Vec<&Call> = self.calls.iter().filter(|call| call.is_own).collect();
        let mut text = String::new();
        if self.has_tools || !own.is_empty() {
            let calls: Vec<String> = own.iter().map(|call| called(call)).collect();
            let line = format!("  expect(answer).toHaveCalledTools([{}]);\n", calls.join(", "));
            text += &match line.trim_end().contains('\n') || line.trim_end().chars().count() > WIDTH {
                true => format!("  expect(answer).toHaveCalledTools({});\n", lines('[', &calls, ']', 2)),
                false => line,
            };
        }
        let mut of_agents: Vec<String> = Vec::new();
        for call in self.calls.iter().filter(|call| !call.is_own) {
            let args = has_args(call).then(|| format!(", {}", literal(&call.input, 2, 40 + call.name.len())));
            let name = string(&call.name);
            let line = format!("  expect(answer).toHaveCalledTool({name}{});\n", args.unwrap_or_default());
            if !of_agents.contains(&line) {
                of_agents.push(line);
            }
        }
        text += &of_agents.concat();
        if let Some(output) = &self.output {
            let _ = writeln!(text, "  expect(answer.output).toEqual({});", literal(output, 2, 34));
        }
        // The text of a typed answer is its JSON.
        let is_output = |output: &Value| serde_json::from_str::<Value>(&self.text).is_ok_and(|value| value == *output);
        if !self.output.as_ref().is_some_and(is_output) {
            let _ = writeln!(text, "  expect(answer.text).toBe({});", string(&self.text));
        }
        text
    }
}

fn has_args(call: &Call) -> bool {
    call.input.as_object().is_some_and(|input| !input.is_empty())
}

/// A call as `toHaveCalledTools` takes it.
fn called(call: &Call) -> String {
    let name = string(&call.name);
    if !has_args(call) {
        return name;
    }
    let begun = 7 + name.chars().count();
    format!("[{name}, {}]", literal(&call.input, 4, begun))
}
