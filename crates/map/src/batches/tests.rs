//! The scheduler with a remote side that only notes what it is to do.

use std::{cell::RefCell, path::Path, rc::Rc};

use serde_json::{json, value::RawValue};
use tempfile::TempDir;

use super::{
    known::Ask,
    pace::Pace,
    remote::{Act, Command, Done, Remote},
    rows::RowProgress,
    scheduler::Scheduler,
    shipments::custom_id,
    state::BatchState,
};
use crate::{hashes::stable_hash, results::Provenance};
use lmthing_base::chat::RequestPlace;
use lmthing_providers::{
    BatchAnswer, BatchLimits, BatchOutcome, BatchPhase, BatchRequest, BatchStatus, FoundBatch, ProviderError,
    ProviderErrorKind, ProviderSettings,
};

#[derive(Clone, Default)]
struct Noted(Rc<RefCell<Vec<Command>>>);

impl Remote for Noted {
    fn perform(&mut self, command: Command) {
        self.0.borrow_mut().push(command);
    }
}

impl Noted {
    /// The names of the acts since the last call, with the numbers of their batches.
    fn take(&self) -> Vec<String> {
        let name = |act: &Act| match act {
            Act::Open(_) => "open",
            Act::Upload => "upload",
            Act::FindUpload => "find upload",
            Act::Create { .. } => "create",
            Act::FindBatch { .. } => "find batch",
            Act::Status(_) => "status",
            Act::Results(_) => "results",
            Act::Delete(_) => "delete",
        };
        let of = |command: Command| match command.batch {
            Some((id, _)) => format!("{} {id}", name(&command.act)),
            None => name(&command.act).to_owned(),
        };
        self.0.take().into_iter().map(of).collect()
    }
}

struct Desk {
    _folder: TempDir,
    noted: Noted,
    scheduler: Scheduler<Noted>,
    target: i64,
}

const PACE: Pace =
    Pace { poll: Some(std::time::Duration::ZERO), batch_size: Some(2), looks_once: false, gathers_all: false };

fn state(out: &Path) -> BatchState {
    let provenance = Provenance { file: "p.lmt.mjs".to_owned(), hash: "1".to_owned(), model: None };
    BatchState::create(out, provenance).unwrap()
}

fn request(row: u64) -> BatchRequest {
    super::known::tests::request(&row.to_string(), RequestPlace::default())
}

impl Desk {
    fn new(rows: u64) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let noted = Noted::default();
        let scheduler = Scheduler::new(state(&folder.path().join("out.jsonl")), noted.clone(), PACE).unwrap();
        let mut desk = Desk { _folder: folder, noted, scheduler, target: 0 };
        (1..=rows).for_each(|row| desk.suspend(row));
        desk.scheduler.learn(desk.target, ProviderSettings::default());
        desk
    }

    fn suspend(&mut self, row: u64) {
        let input = json!({ "n": row }).as_object().cloned().unwrap();
        let id = self.scheduler.state.begin_row((row, &stable_hash(&input)), &input, 0).unwrap();
        let asks = vec![Ask::New { request: Box::new(request(row)), replaces: None }];
        for (target, bytes) in self.scheduler.state.suspend(id, asks, RowProgress::default()).unwrap() {
            self.scheduler.gather(target, bytes);
            self.target = target;
        }
    }

    fn advance(&mut self, is_last: bool) -> Vec<String> {
        self.scheduler.advance(is_last, usize::MAX).unwrap();
        self.noted.take()
    }

    fn done(&mut self, batch: Option<i64>, done: Done) {
        self.scheduler.report(self.target, batch, Ok(done)).unwrap();
    }

    fn fails(&mut self, batch: i64, kind: ProviderErrorKind) {
        let error = ProviderError::new(kind, "openai", "m", "no");
        self.scheduler.report(self.target, Some(batch), Err(error)).unwrap();
    }

    fn open(&mut self) {
        assert_eq!(self.advance(false), ["open"]);
        self.done(None, Done::Opened(BatchLimits { requests: 100, bytes: 1 << 20 }));
    }

    /// Begins again with the stored state, as after `kill -9`.
    fn restart(self) -> Self {
        let Desk { _folder, noted, scheduler, target } = self;
        drop(scheduler);
        let state = BatchState::open(&_folder.path().join("out.jsonl")).unwrap().unwrap();
        state.resume().unwrap();
        let scheduler = Scheduler::new(state, noted.clone(), PACE).unwrap();
        let mut desk = Desk { _folder, noted, scheduler, target };
        desk.scheduler.learn(target, ProviderSettings::default());
        desk
    }

    fn status(&mut self, phase: BatchPhase) {
        let status = BatchStatus { phase, results: vec!["r".to_owned()], ..BatchStatus::default() };
        self.done(Some(1), Done::Status(Box::new(status)));
    }

    fn collect(&mut self, row: i64, outcome: BatchOutcome) {
        let id = custom_id(&self.scheduler.state.header.name, 1, row);
        self.scheduler.state.collect(1, vec![(id, outcome)]).unwrap();
    }
}

fn answered() -> BatchOutcome {
    BatchOutcome::Answered(BatchAnswer { status: 200, body: RawValue::from_string("{}".to_owned()).unwrap() })
}

#[test]
fn full_batches_go_at_once_and_the_rest_when_no_row_runs() {
    let mut desk = Desk::new(3);
    desk.open();
    assert_eq!(desk.advance(false), ["upload 1"]);
    assert_eq!(desk.advance(false), Vec::<String>::new());
    assert_eq!(desk.advance(true), ["upload 2"]);
    desk.done(Some(2), Done::Uploaded(Some("f".to_owned())));
    assert_eq!(desk.advance(true), ["create 2"]);
    assert_eq!(desk.scheduler.under_way(), 1);
}

#[test]
fn an_act_whose_outcome_is_not_known_is_looked_for_before_it_is_repeated() {
    let mut desk = Desk::new(2);
    desk.open();
    assert_eq!(desk.advance(true), ["upload 1"]);
    let mut desk = desk.restart();
    desk.open();
    assert_eq!(desk.advance(true), ["find upload 1"]);
    desk.done(Some(1), Done::FoundUpload(None));
    assert_eq!(desk.advance(true), ["upload 1"]);
    desk.done(Some(1), Done::Uploaded(Some("f".to_owned())));
    let mut desk = desk.restart();
    desk.open();
    assert_eq!(desk.advance(true), ["create 1"], "nothing was asked before");
    let mut desk = desk.restart();
    desk.open();
    assert_eq!(desk.advance(true), ["find batch 1"]);
    desk.done(Some(1), Done::FoundBatch(FoundBatch::Found("b".to_owned())));
    assert_eq!(desk.advance(true), ["status 1"]);
    // A connection that fails for a while.
    desk.fails(1, ProviderErrorKind::Connection);
    assert!(desk.scheduler.failure().is_none());
    assert_eq!(desk.advance(true), ["status 1"]);
    desk.fails(1, ProviderErrorKind::Authentication);
    assert!(desk.scheduler.failure().is_some());
    assert_eq!(desk.advance(true), Vec::<String>::new());
}

#[test]
fn a_refused_batch_is_not_under_way() {
    let mut desk = Desk::new(2);
    desk.open();
    desk.advance(true);
    desk.done(Some(1), Done::Uploaded(Some("f".to_owned())));
    assert_eq!(desk.advance(true), ["create 1"]);
    desk.fails(1, ProviderErrorKind::BadRequest);
    assert_eq!((desk.scheduler.failure().is_some(), desk.scheduler.under_way()), (true, 0));
    let mut desk = desk.restart();
    desk.open();
    assert_eq!(desk.advance(true), ["create 1"], "its file is there");
}

#[test]
fn rows_with_answers_are_ready_and_files_are_deleted() {
    let mut desk = Desk::new(2);
    desk.open();
    desk.advance(true);
    desk.done(Some(1), Done::Uploaded(Some("f".to_owned())));
    desk.advance(true);
    desk.done(Some(1), Done::Created("b".to_owned()));
    assert_eq!(desk.advance(true), ["status 1"]);
    desk.status(BatchPhase::InProgress);
    assert_eq!(desk.advance(true), ["status 1"]);
    desk.status(BatchPhase::Completed);
    assert_eq!(desk.advance(true), ["results 1"]);
    desk.collect(1, answered());
    assert!(desk.scheduler.state.next_ready().unwrap().is_none(), "not before all answers are stored");
    desk.done(Some(1), Done::Collected);
    let ready =
        [desk.scheduler.state.next_ready().unwrap().unwrap(), desk.scheduler.state.next_ready().unwrap().unwrap()];
    let outcome = |id| format!("{:?}", desk.scheduler.state.record(id).unwrap().requests[0].outcome);
    assert!(outcome(ready[0].id).contains("Answered"), "{}", outcome(ready[0].id));
    assert!(outcome(ready[1].id).contains("without an answer"), "{}", outcome(ready[1].id));
    assert_eq!(desk.advance(true), ["delete 1"]);
    desk.done(Some(1), Done::Deleted);
    desk.advance(true);
    assert!(desk.scheduler.is_idle() && !desk.scheduler.has_batches());
}

#[test]
fn requests_of_a_batch_that_was_cancelled_elsewhere_are_held_for_the_next_command() {
    let mut desk = Desk::new(2);
    desk.open();
    desk.advance(true);
    desk.done(Some(1), Done::Uploaded(None));
    desk.advance(true);
    desk.done(Some(1), Done::Created("b".to_owned()));
    desk.advance(true);
    desk.status(BatchPhase::Cancelled);
    desk.advance(true);
    desk.collect(1, answered());
    desk.done(Some(1), Done::Collected);
    assert_eq!((desk.scheduler.held(), desk.advance(true)), (1, Vec::new()));
    assert!(desk.scheduler.is_idle());
}

#[test]
fn an_answer_is_not_replaced_by_a_failure() {
    let mut desk = Desk::new(1);
    desk.open();
    desk.advance(true);
    for (outcome, expected) in [
        (BatchOutcome::Expired("late".to_owned()), "Failed"),
        (answered(), "status: 200"),
        (BatchOutcome::Expired("late".to_owned()), "status: 200"),
    ] {
        desk.collect(1, outcome);
        let stored = format!("{:?}", desk.scheduler.state.record(1).unwrap().requests[0].outcome);
        assert!(stored.contains(expected), "{stored}");
    }
}
