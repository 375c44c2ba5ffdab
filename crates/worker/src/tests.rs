//! Runs of a worker without Restate; the tests store the batches themselves.

use std::{fs, path::Path, sync::Arc, time::Duration};

use serde_json::{Value, json};
use tokio::time::timeout;

use super::{
    attempt::{Attempt, RunRequest},
    batch::{End, Entry},
    counters::InvocationCounters,
    engines::Engines,
    log::{Level, Log, LogFormat},
    options::RunOptions,
};
use lmthing_base::{
    checkpoint::Verdict,
    cost::{Limits, OwnPrices},
    permission::{ApprovalRules, Permissions},
};
use lmthing_serve::LineSender;

/// Three steps; each call of the tool appends a line to a file.
const FILE: &str = r"
import { appendFileSync } from 'node:fs';
export const mock = [0, 1].map((n) => ({ type: 'tool-call', toolName: 'note', args: { n } })).concat({ type: 'text', text: 'done' });
export const config = { model: 'mock' };
export default ({ defTool, $ }) => {
  defTool('note', 'Notes.', { type: 'object', properties: { n: { type: 'number' } } }, async ({ n }, { abortSignal }) => {
    appendFileSync(process.env.NOTES, `${n}\n`);
    if (process.env.HANGS === String(n)) {
      await new Promise((done) => abortSignal.addEventListener('abort', done));
      appendFileSync(process.env.NOTES, 'aborted\n');
    }
    return `noted ${n}`;
  }, { needsApproval: process.env.ASKS === 'true' });
  $`Go.`;
};
";

struct TestSetup {
    folder: tempfile::TempDir,
    stored: Vec<Entry>,
}

impl TestSetup {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("note.lmt.mjs"), FILE).unwrap();
        TestSetup { folder, stored: Vec::new() }
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.folder.path().join(name)
    }

    fn notes(&self) -> String {
        fs::read_to_string(self.path("notes")).unwrap_or_default()
    }

    fn engines(&self, machine: &str, variables: &[(&str, &str)]) -> Arc<Engines> {
        let notes = self.path("notes").display().to_string();
        let own = [("NOTES", notes.as_str())];
        let variables = variables.iter().chain(&own);
        lmthing_node::set_builtins(lmthing_node::Builtins {
            names: &lmthing_runtime::NAMES,
            load: lmthing_runtime::load,
        });
        Engines::start(RunOptions {
            jobs: 2,
            journal: self.path(machine),
            limits: Limits::default(),
            own_prices: OwnPrices::default(),
            variables: variables.map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
            permissions: Arc::new(|_: &Path| Permissions::default()),
            mcp_config: None,
            model: None,
            export: None,
            approve: ApprovalRules::default(),
        })
        .unwrap()
    }

    fn request(&self) -> RunRequest {
        RunRequest {
            file: self.path("note.lmt.mjs"),
            run: "0123456789abcdef0123".to_owned(),
            invocation: "inv_1".to_owned(),
            input: None,
            log: Log::new(LineSender::new().0, LogFormat::Json, Level::Error),
            trace_parent: None,
            open_invocation: InvocationCounters::default().open(),
        }
    }

    async fn store(&mut self, attempt: &mut Attempt<'_>) -> Option<End> {
        self.store_decided(attempt, &[]).await
    }

    async fn store_decided(&mut self, attempt: &mut Attempt<'_>, decisions: &[(String, Verdict)]) -> Option<End> {
        let mut batch = attempt.next(&self.stored, decisions).await.unwrap();
        self.stored.extend(batch.take_entries());
        batch.end
    }
}

fn text(end: Option<End>) -> Value {
    match end {
        Some(End::Report(report)) => json!([report["text"], report["steps"], report["error"]]),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_run_is_stored_step_by_step() {
    let mut setup = TestSetup::new();
    let (engines, request) = (setup.engines("journal", &[]), setup.request());
    let mut attempt = Attempt::new(&engines, &request);
    for done in ["0\n", "0\n1\n"] {
        assert_eq!(setup.store(&mut attempt).await, None);
        // The next step waits until this one is stored.
        assert_eq!(setup.notes(), done);
    }
    assert_eq!(text(setup.store(&mut attempt).await), json!(["done", 3, null]));
}

#[tokio::test]
async fn other_machines_continue_from_stored_entries_and_this_one_from_its_journal() {
    let mut setup = TestSetup::new();
    let request = setup.request();
    let engines = setup.engines("one", &[]);
    let mut attempt = Attempt::new(&engines, &request);
    assert_eq!(setup.store(&mut attempt).await, None);
    // This batch is lost.
    let _ = attempt.next(&setup.stored, &[]).await.unwrap();
    attempt.end().await;
    assert_eq!(setup.notes(), "0\n1\n");
    let here = setup.stored.clone();
    // The journal of this machine is ahead of the stored entries.
    let mut attempt = Attempt::new(&engines, &request);
    assert_eq!(setup.store(&mut attempt).await, None);
    assert_eq!(text(setup.store(&mut attempt).await), json!(["done", 3, null]));
    assert_eq!(setup.notes(), "0\n1\n");
    // The other machine has no journal of the run and repeats the call.
    setup.stored = here;
    let other = setup.engines("other", &[]);
    let mut attempt = Attempt::new(&other, &request);
    assert_eq!(setup.store(&mut attempt).await, None);
    assert_eq!(setup.notes(), "0\n1\n1\n");
    attempt.end().await;
    // The journal of the first machine differs from the stored entries now.
    let mut attempt = Attempt::new(&engines, &request);
    assert_eq!(text(setup.store(&mut attempt).await), json!(["done", 3, null]));
    assert_eq!(setup.notes(), "0\n1\n1\n");
}

#[tokio::test]
async fn an_ended_attempt_aborts_its_tools() {
    let mut setup = TestSetup::new();
    let request = setup.request();
    let engines = setup.engines("journal", &[("HANGS", "1")]);
    let mut attempt = Attempt::new(&engines, &request);
    assert_eq!(setup.store(&mut attempt).await, None);
    let waits = timeout(Duration::from_millis(300), attempt.next(&setup.stored, &[])).await;
    assert!(waits.is_err(), "{waits:?}");
    timeout(Duration::from_secs(20), attempt.end()).await.unwrap();
    assert_eq!(setup.notes(), "0\n1\naborted\n");
    let engines = setup.engines("journal", &[]);
    let mut attempt = Attempt::new(&engines, &request);
    assert_eq!(setup.store(&mut attempt).await, None);
    assert_eq!(text(setup.store(&mut attempt).await), json!(["done", 3, null]));
    // Neither the request nor the call is repeated.
    assert_eq!(setup.notes(), "0\n1\naborted\n");
}

#[tokio::test]
async fn a_run_waits_for_decisions_without_an_engine() {
    let mut setup = TestSetup::new();
    let request = setup.request();
    let engines = setup.engines("one", &[("ASKS", "true")]);
    let mut attempt = Attempt::new(&engines, &request);
    let Some(End::Waits(calls)) = setup.store(&mut attempt).await else { panic!("it does not wait") };
    assert_eq!((calls.len(), calls[0].name.as_str(), &calls[0].args), (1, "note", &json!({ "n": 0 })));
    attempt.end().await;
    // The decision arrives while another machine has the run.
    let other = setup.engines("other", &[("ASKS", "true")]);
    let mut attempt = Attempt::new(&other, &request);
    let decided = [(calls[0].call.clone(), Verdict::Approved)];
    assert_eq!(setup.store_decided(&mut attempt, &decided).await, None);
    assert_eq!(setup.notes(), "0\n");
    let Some(End::Waits(calls)) = setup.store(&mut attempt).await else { panic!("it does not wait") };
    attempt.end().await;
    let denied = [(calls[0].call.clone(), Verdict::Denied(Some("not today".to_owned())))];
    assert_eq!(setup.store_decided(&mut attempt, &denied).await, None);
    assert_eq!(text(setup.store(&mut attempt).await), json!(["done", 3, null]));
    assert_eq!(setup.notes(), "0\n");
}

#[tokio::test]
async fn a_file_that_fails_is_a_report() {
    let mut setup = TestSetup::new();
    fs::write(
        setup.path("note.lmt.mjs"),
        "export const config = { model: 'mock' }; export const mock = []; export default () => { throw new Error('no'); };",
    )
    .unwrap();
    let (engines, request) = (setup.engines("journal", &[]), setup.request());
    let mut attempt = Attempt::new(&engines, &request);
    let Some(End::Report(report)) = setup.store(&mut attempt).await else { panic!("there is no report") };
    assert_eq!((&report["ok"], &report["error"]["message"]), (&json!(false), &json!("no")));
    // A repeated request, as after a lost answer, returns the same end.
    assert_eq!(setup.store(&mut attempt).await, Some(End::Report(report)));
}
