//! The thread of the scores, with eval files in a real engine.

use std::{
    num::NonZeroUsize,
    path::Path,
    sync::{
        Arc,
        mpsc::{Receiver, channel},
    },
    time::Duration,
};

use indexmap::IndexMap;
use serde_json::json;
use tempfile::TempDir;

use super::{ScoreMessage, ScoreOptions, ScoreRequest, ScoreThread, StartError};
use crate::{
    EvalFile, EvalRows,
    line::{Score, VerdictCost},
};
use lmthing_base::{
    cost::{Limits, OwnPrices},
    diagnostic::Diagnostic,
    permission::Permissions,
};
use lmthing_engine::session::CombinedLimits;
use lmthing_providers::Servers;

/// Exports that the cases complete.
const HEAD: &str = "import { judge } from 'lmthing/eval';
import { createMockModel } from 'lmthing/test';
export const file = './ask.lmt.mjs';
";
const ROWS: &str = "export const rows = [{ city: 'Rome', expected: 'Italy' }];\n";
const SCORES: &str = "export const scores = { right: ({ text, row }) => text === row.expected };\n";

/// A model that counts its requests in its verdicts.
const COUNTER: &str = "let asked = 0;
const counter = (verdict) => ({
  specificationVersion: 'v2', provider: 'fake', modelId: 'counter', supportedUrls: {},
  async doStream() {
    asked += 1;
    const text = JSON.stringify({ ...verdict(asked), reason: `verdict ${asked}` });
    const parts = [
      { type: 'text-start', id: '1' }, { type: 'text-delta', id: '1', delta: text }, { type: 'text-end', id: '1' },
      { type: 'finish', finishReason: 'stop', usage: { inputTokens: 10, outputTokens: 5, totalTokens: 15 } },
    ];
    return { stream: ReadableStream.from(parts) };
  },
});
";

struct Scoring {
    thread: ScoreThread,
    messages: Receiver<ScoreMessage>,
    file: EvalFile,
    _folder: TempDir,
}

type Scores = IndexMap<String, Score>;

fn start(source: &str) -> Result<Scoring, StartError> {
    lmthing_node::set_builtins(lmthing_node::Builtins { names: &lmthing_runtime::NAMES, load: lmthing_runtime::load });
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("ask.lmt.mjs", "export const config = { model: 'mock' };\nexport default () => {};\n");
    write("rows.csv", "city\nRome\n");
    write("cities.eval.lmt.mjs", source);
    let options = ScoreOptions {
        file: folder.path().join("cities.eval.lmt.mjs"),
        shown_file: "cities.eval.lmt.mjs".to_owned(),
        variables: Vec::new(),
        own_prices: OwnPrices::default(),
        permissions: Permissions::default(),
        judge_exchanges: None,
        overall: CombinedLimits::new(Limits::default()),
        servers: Arc::new(Servers::default()),
        jobs: NonZeroUsize::new(4).unwrap(),
    };
    let (sender, messages) = channel();
    let send = Box::new(move |message| drop(sender.send(message)));
    let (file, thread) = ScoreThread::start(options, send, &mut || false)?;
    Ok(Scoring { thread, messages, file, _folder: folder })
}

fn started(source: &str) -> Scoring {
    start(source).unwrap_or_else(|error| panic!("{error:?}\n{source}"))
}

fn fault(source: &str) -> Diagnostic {
    match start(source) {
        Ok(_) => panic!("it is accepted:\n{source}"),
        Err(StartError::File(problem)) => *problem,
        Err(other) => panic!("{other:?}"),
    }
}

fn answer(number: u64, text: &str) -> ScoreRequest {
    let row = json!({ "city": "Rome", "expected": "Italy" }).as_object().cloned().unwrap();
    let run = json!({
        "text": text, "steps": [], "toolCalls": [], "usage": {}, "cost": 0.5, "finishReason": "stop", "durationMs": 7
    });
    ScoreRequest { number, row, run }
}

impl Scoring {
    fn next(&self) -> ScoreMessage {
        self.messages.recv_timeout(Duration::from_secs(60)).expect("a message")
    }

    /// The scores of the next cell, and what was sent before them.
    fn scored(&self) -> (u64, Scores, Vec<VerdictCost>, Vec<ScoreMessage>) {
        let mut before = Vec::new();
        loop {
            match self.next() {
                ScoreMessage::Scored { number, scores, verdicts } => return (number, scores, verdicts, before),
                other => before.push(other),
            }
        }
    }

    fn score(&self, text: &str) -> Scores {
        self.thread.score(answer(1, text));
        self.scored().1
    }
}

/// The scores of one answer by an eval file with these scores.
fn scores_of(scores: &str) -> Scores {
    started(&format!("{HEAD}{ROWS}export const scores = {{ {scores} }};\n")).score("Italy")
}

fn error<'a>(scores: &'a Scores, name: &str) -> &'a str {
    let score = &scores[name];
    assert_eq!((score.score, score.pass), (None, None), "{score:?}");
    score.error.as_deref().unwrap_or_else(|| panic!("{score:?}"))
}

#[test]
fn exports_are_read() {
    let variants = "export const variants = {
  plain: {},
  cold: { file: new URL('./ask.lmt.mjs', import.meta.url), model: 'mock', options: { temperature: 0 }, input: { city: 'Oslo' }, limits: { steps: 3 } },
};\n";
    let scoring = started(&format!("{HEAD}{ROWS}{SCORES}{variants}"));
    let EvalFile { rows, variants, scores, shown_path, .. } = &scoring.file;
    assert_eq!((shown_path.as_str(), scores.as_slice()), ("cities.eval.lmt.mjs", &["right".to_owned()][..]));
    assert!(matches!(rows, EvalRows::Objects(rows) if rows[0]["city"] == "Rome"));
    let [plain, cold] = &variants[..] else { panic!("{variants:?}") };
    assert_eq!((plain.name.as_str(), &plain.file), ("plain", &cold.file));
    assert_eq!(cold.model.as_deref(), Some("mock"));
    let given = json!([cold.options, cold.input, cold.limits]);
    assert_eq!(given, json!([{ "temperature": 0 }, { "city": "Oslo" }, { "steps": 3 }]));
    let without = started(&format!("{HEAD}{ROWS}{SCORES}"));
    assert_eq!(without.file.variants[0].name, "default");
}

#[test]
fn rows_are_a_file_or_come_from_a_function() {
    for rows in ["'rows.csv'", "new URL('./rows.csv', import.meta.url)", "async () => './rows.csv'"] {
        let scoring = started(&format!("{HEAD}{SCORES}export const rows = {rows};"));
        assert!(matches!(&scoring.file.rows, EvalRows::File(file) if file.ends_with(Path::new("rows.csv"))), "{rows}");
    }
    let scoring = started(&format!("{HEAD}{SCORES}export const rows = async () => [{{ city: 'Rome' }}, {{ n: 1 }}];"));
    assert!(matches!(&scoring.file.rows, EvalRows::Objects(rows) if rows.len() == 2));
}

#[test]
fn wrong_exports_are_errors_with_their_places() {
    let rest = format!("{ROWS}{SCORES}");
    for (source, message, hint, place) in [
        ("export const score = {};", "an eval file has no export 'score'", "did you mean 'scores'?", Some((4, 14))),
        ("export default () => {};", "an eval file has no default export", "export const file", Some((4, 1))),
        ("export const rows = [];", "there are no rows", "export const rows", Some((4, 14))),
        ("export const rows = [{ a: 1 }, 5];", "row 2 must be an object of columns, got a number", "", Some((4, 32))),
        ("export const rows = 'rows.cvs';", "cannot find the file of rows", "rows.csv", Some((4, 14))),
        ("export const rows = () => 5;", "rows must be a file, an array of objects", "", Some((4, 14))),
        ("export const rows = () => { throw new Error('no net'); };", "no net", "", Some((4, 39))),
        (
            "export const scores = { a: 1 };",
            "the score 'a' must be a function or a judge, got a number",
            "",
            Some((4, 25)),
        ),
        ("export const scores = {};", "the export scores has no score", "", Some((4, 14))),
        ("export const scores = { a: judge('x') };", "say which model judges", "", Some((4, 28))),
        (
            "export const scores = { a: judge('x', { model: 'mock', nede: 1 }) };",
            "judge has no option 'nede'",
            "",
            Some((4, 28)),
        ),
        ("export const scores = { a: judge('x', { model: 'opnai:x' }) };", "opnai", "openai", Some((4, 25))),
        (
            "export const variants = { a: { modle: 'x' } };",
            "'modle', which no variant has",
            "did you mean 'model'?",
            Some((4, 32)),
        ),
        (
            "export const variants = { a: { file: './aks.lmt.mjs' } };",
            "cannot find the file",
            "ask.lmt.mjs",
            Some((4, 32)),
        ),
        (
            "export const variants = { a: { options: { temprature: 0 } } };",
            "no 'temprature'",
            "did you mean 'temperature'?",
            Some((4, 43)),
        ),
        ("export const variants = { a: { limits: { step: 1 } } };", "step", "steps", Some((4, 32))),
        ("export const variants = {};", "has no variant", "", Some((4, 14))),
    ] {
        let name = source.split_whitespace().nth(2).unwrap_or_default();
        let others: String =
            rest.lines().filter(|line| line.split_whitespace().nth(2) != Some(name)).collect::<Vec<_>>().join("\n");
        let problem = fault(&format!("{HEAD}{source}\n{others}\n"));
        assert!(problem.to_string().contains(message), "{source}\n{problem}");
        assert!(problem.hint.as_deref().unwrap_or_default().contains(hint), "{source}\n{problem:?}");
        assert_eq!(problem.location.as_ref().map(|at| (at.line, at.column)), place, "{source}\n{problem:?}");
    }
    let missing = fault("export const rows = [{}];\nexport const scores = { a: () => true };\n");
    assert!(missing.to_string().contains("cities.eval.lmt.mjs does not export file"), "{missing}");
}

#[test]
fn results_of_scores_are_read() {
    let scores = scores_of(
        "yes: ({ text, row }) => text === row.expected, no: async () => false, half: () => 0.5,
         reasoned: () => ({ score: true, reason: 'so' }), low: () => ({ score: 0 }),
         run: ({ run, output }) => run.cost === 0.5 && run.durationMs === 7 && output === undefined,",
    );
    let yes = Score { score: Some(1.0), pass: Some(true), ..Score::default() };
    assert_eq!(scores["yes"], yes);
    assert_eq!(scores["no"], Score { score: Some(0.0), pass: Some(false), ..Score::default() });
    assert_eq!(scores["half"], Score { score: Some(0.5), ..Score::default() });
    assert_eq!(scores["reasoned"], Score { reason: Some("so".to_owned()), ..yes.clone() });
    assert_eq!(scores["low"], Score { score: Some(0.0), ..Score::default() });
    assert_eq!(scores["run"], yes);
    assert_eq!(scores.keys().next().map(String::as_str), Some("yes"));
}

#[test]
fn a_wrong_result_is_the_error_of_its_score() {
    let scores = scores_of(
        "thrown: ({ row }) => row.country.name, late: async () => { await null; throw new TypeError('late'); },
         large: () => 1.5, nothing: () => {}, text: () => 'yes', list: () => [1], nan: () => NaN,
         reason: () => ({ score: 1, reason: 5 }), bare: () => ({ reason: 'x' }), exit: () => process.exit(3),
         stuck: () => new Promise(() => {}), right: () => true,",
    );
    for (name, expected) in [
        ("thrown", "cities.eval.lmt.mjs:5:"),
        ("late", "TypeError: late ("),
        ("large", "got 1.5"),
        ("nothing", "got undefined (is a return missing?)"),
        ("text", "got 'yes'"),
        ("list", "got an array"),
        ("nan", "got NaN"),
        ("reason", "the reason of a score must be a string, got 5"),
        ("bare", "an object { score, reason }"),
        ("exit", "process.exit(3) was called"),
        ("stuck", "waits for a promise that nothing can settle any more"),
    ] {
        let error = error(&scores, name);
        assert!(error.contains(expected), "{name}: {error}");
    }
    assert_eq!(scores["right"].pass, Some(true));
}

#[test]
fn no_score_changes_what_another_gets() {
    let scores = scores_of(
        "first: (cell) => { cell.row.expected = 'x'; cell.run.text = 'y'; cell.text = 'z'; return true; },
         second: ({ row, run, text }) => row.expected === 'Italy' && run.text === 'Italy' && text === 'Italy',",
    );
    assert_eq!(scores["second"].pass, Some(true));
}

#[test]
fn what_is_printed_is_sent_in_lines() {
    let scoring =
        started(&format!("{HEAD}{ROWS}export const scores = {{ a: () => {{ console.log('one'); return true; }} }};"));
    scoring.thread.score(answer(1, "x"));
    let (_, _, _, before) = scoring.scored();
    assert!(matches!(&before[..], [ScoreMessage::Printed(text)] if text == "one\n"), "{before:?}");
}

#[test]
fn a_judge_gives_its_verdict_and_reason() {
    let scores = scores_of(
        "polite: judge('is polite', { model: createMockModel([{ type: 'text', text: '{\"pass\":false,\"reason\":\"It is curt.\"}' }]) }),
         most: judge('is short', { of: 3, model: createMockModel([true, false, true].map((pass, index) =>
           [{ type: 'text', text: JSON.stringify({ pass, reason: `r${index}` }) }]).flatMap((turn) => [...turn, { type: 'finish' }])) }),
         broken: judge('is x', { model: createMockModel([{ type: 'error', error: 'down' }]) }),",
    );
    let curt = Score { score: Some(0.0), pass: Some(false), reason: Some("It is curt.".to_owned()), error: None };
    assert_eq!(scores["polite"], curt);
    assert_eq!(scores["most"].pass, Some(true));
    assert_eq!(scores["most"].reason.as_deref(), Some("2 of 3 verdicts are positive: r0 r2"));
    assert!(error(&scores, "broken").contains("down"));
}

#[test]
fn equal_verdicts_are_asked_for_once() {
    let source = format!(
        "{HEAD}{ROWS}{COUNTER}const model = counter(() => ({{ pass: true }}));
const polite = judge('is polite', {{ model }});
export const scores = {{ polite, again: async (cell) => ({{ ...(await polite({{ text: cell.text }})), score: 1 }}) }};"
    );
    let scoring = started(&source);
    for (number, text) in [(1, "a"), (2, "a"), (3, "b")] {
        scoring.thread.score(answer(number, text));
    }
    let (mut keys, mut asked) = (IndexMap::new(), 0);
    for _ in 0..3 {
        let (number, scores, verdicts, before) = scoring.scored();
        assert_eq!(scores["polite"].reason, scores["again"].reason);
        assert_eq!(verdicts.len(), 1, "{verdicts:?}");
        keys.insert(number, verdicts[0].key.clone());
        for message in before {
            // The settings of a model in JavaScript are not known, so that its verdicts have no key for later commands.
            let ScoreMessage::Verdict { key: None, verdict } = message else { panic!("{message:?}") };
            assert_eq!((verdict.pass, verdict.usage.output_tokens), (true, Some(5)));
            asked += 1;
        }
    }
    assert!(keys[&1] == keys[&2] && keys[&1] != keys[&3] && asked == 2, "{keys:?}");
}

#[test]
fn judging_stops_when_the_result_is_certain() {
    let source = format!(
        "{HEAD}{ROWS}{COUNTER}export const scores = {{ yes: judge('x', {{ of: 5, model: counter((n) => ({{ pass: n !== 2 }})) }}) }};"
    );
    let scoring = started(&source);
    scoring.thread.score(answer(1, "a"));
    let (_, scores, verdicts, _) = scoring.scored();
    assert_eq!((scores["yes"].pass, verdicts.len()), (Some(true), 4));
}

#[test]
fn a_rejection_that_no_score_waits_for_is_a_warning() {
    let scoring = started(&format!(
        "{HEAD}{ROWS}export const scores = {{ a: async () => {{ Promise.reject(new Error('stray')); await new Promise((done) => setTimeout(done, 20)); return true; }} }};"
    ));
    scoring.thread.score(answer(1, "x"));
    let (_, scores, _, before) = scoring.scored();
    assert_eq!(scores["a"].pass, Some(true));
    assert!(matches!(&before[..], [ScoreMessage::Warned(text)] if text.contains("stray")), "{before:?}");
}
