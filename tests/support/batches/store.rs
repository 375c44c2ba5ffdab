//! What the server keeps: files and batches.

use std::collections::BTreeSet;
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::Value;

use super::{Answer, replies::BatchResult};

/// How a batch ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    Running,
    Completed,
    /// A part is answered: every other request.
    Expired,
    Cancelled,
    /// With the code `partial`, a part is answered.
    Failed {
        code: &'static str,
        message: &'static str,
    },
}

#[derive(Clone, Debug)]
pub(crate) struct Batch {
    pub id: String,
    /// Its metadata or name.
    pub name: String,
    pub endpoint: String,
    pub input_file: Option<String>,
    /// Ids and bodies.
    pub requests: Vec<(String, Value)>,
    pub phase: Phase,
    pub is_cancelled: bool,
    pub created_at: u64,
    pub output_file: Option<String>,
    pub error_file: Option<String>,
    /// Answered and failed requests.
    pub counts: (usize, usize),
    polls_left: usize,
    ending: Phase,
}

#[derive(Clone, Debug)]
pub(super) struct File {
    pub id: String,
    pub name: String,
    pub lines: Vec<Value>,
    pub created_at: u64,
    /// Whether clients see it as a file; results may be a part of their batch.
    pub is_listed: bool,
}

#[derive(Default)]
pub(super) struct Store {
    pub files: Vec<File>,
    pub batches: Vec<Batch>,
    pub paid: Vec<Value>,
    pub polls: usize,
    pub endings: Vec<Phase>,
    pub address: String,
    pub elsewhere: Option<String>,
    /// Whether results are here too, although batches say that they are elsewhere.
    pub is_gateway: bool,
    next: usize,
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs()
}

pub(super) type Answers<'a> = &'a dyn Fn(&str, &str, &Value) -> BatchResult;

impl Store {
    pub(super) fn new_id(&mut self, kind: &str) -> String {
        self.next += 1;
        format!("{kind}{}", self.next)
    }

    pub(super) fn add_file(&mut self, id: String, name: &str, lines: Vec<Value>) -> File {
        let file = File { id, name: name.to_owned(), lines, created_at: now(), is_listed: true };
        self.files.push(file.clone());
        file
    }

    pub(super) fn file(&self, id: &str) -> Option<Vec<Value>> {
        self.files.iter().find(|file| file.id == id).map(|file| file.lines.clone())
    }

    pub(super) fn delete_file(&mut self, id: &str) -> bool {
        let before = self.files.len();
        self.files.retain(|file| file.id != id);
        self.files.len() < before
    }

    pub(super) fn add_batch(
        &mut self,
        id: String,
        (name, endpoint): (&str, &str),
        input_file: Option<String>,
        requests: Vec<(String, Value)>,
    ) -> Batch {
        let ids: BTreeSet<&String> = requests.iter().map(|(id, _)| id).collect();
        assert_eq!(ids.len(), requests.len(), "the ids of requests are unique");
        let batch = Batch {
            id,
            name: name.to_owned(),
            endpoint: endpoint.to_owned(),
            input_file,
            requests,
            phase: Phase::Running,
            is_cancelled: false,
            created_at: now(),
            output_file: None,
            error_file: None,
            counts: (0, 0),
            polls_left: self.polls,
            ending: self.endings.pop().unwrap_or(Phase::Completed),
        };
        self.batches.push(batch.clone());
        batch
    }

    /// A batch that is asked about, which may end by that.
    pub(super) fn poll(&mut self, id: &str, answers: Answers<'_>) -> Option<Batch> {
        let at = self.batches.iter().position(|batch| batch.id == id)?;
        let batch = &mut self.batches[at];
        batch.polls_left = batch.polls_left.saturating_sub(1);
        if batch.polls_left == 0 && batch.phase == Phase::Running {
            batch.phase = batch.ending.clone();
            batch.is_cancelled |= batch.phase == Phase::Cancelled;
        }
        self.write_results(at, answers);
        Some(self.batches[at].clone())
    }

    /// Whether the batch was running; one that was cancelled is not cancelled again.
    pub(super) fn cancel(&mut self, id: &str) -> Option<bool> {
        let batch = self.batches.iter_mut().find(|batch| batch.id == id)?;
        let is_running = batch.phase == Phase::Running && !batch.is_cancelled;
        if is_running {
            (batch.ending, batch.is_cancelled) = (Phase::Cancelled, true);
        }
        Some(is_running)
    }

    pub(super) fn end(&mut self, id: &str, phase: Phase) {
        let batch = self.batches.iter_mut().find(|batch| batch.id == id).unwrap();
        batch.is_cancelled |= phase == Phase::Cancelled;
        batch.phase = phase;
    }

    /// Answers the requests of a batch that has ended, in another order than theirs.
    fn write_results(&mut self, at: usize, answers: Answers<'_>) {
        let batch = &self.batches[at];
        let is_written = batch.output_file.is_some() || batch.error_file.is_some();
        let is_refused = matches!(batch.phase, Phase::Failed { code, .. } if code != "partial");
        if is_written || is_refused || batch.phase == Phase::Running {
            return;
        }
        let (mut good, mut bad) = (Vec::new(), Vec::new());
        for (index, (id, body)) in batch.requests.iter().enumerate().rev() {
            let is_late = batch.phase != Phase::Completed && index % 2 == 1;
            let result = match is_late {
                true if batch.phase == Phase::Expired => BatchResult::expired(id),
                true if batch.phase != Phase::Cancelled => BatchResult::missing(),
                true => BatchResult::cancelled(id),
                false => answers(&batch.endpoint, id, body),
            };
            if result.is_paid {
                self.paid.push(body.clone());
            }
            match result.line {
                Some(line) if result.is_error => bad.push(line),
                Some(line) => good.push(line),
                None => {}
            }
        }
        let counts = (good.len(), bad.len());
        let is_listed = batch.input_file.is_some();
        let mut file = |lines: Vec<Value>, name: &str| {
            let id = (!lines.is_empty()).then(|| self.new_id("out"))?;
            self.files.push(File { id: id.clone(), name: name.to_owned(), lines, created_at: now(), is_listed });
            Some(id)
        };
        let (output, error) = (file(good, "output"), file(bad, "errors"));
        let batch = &mut self.batches[at];
        (batch.output_file, batch.error_file, batch.counts) = (output, error, counts);
    }

    /// All results of a batch that a file belongs to.
    pub(super) fn results(&self, is_meant: impl Fn(&Batch) -> bool) -> Vec<Value> {
        let batch = self.batches.iter().find(|batch| is_meant(batch));
        let files = batch.into_iter().flat_map(|batch| batch.output_file.iter().chain(&batch.error_file));
        files.filter_map(|id| self.file(id)).flatten().collect()
    }

    /// Where a file is read.
    pub(super) fn content(&self, id: &str) -> Answer {
        match (&self.elsewhere, self.file(id)) {
            (_, None) => Answer::missing(),
            (Some(host), Some(_)) => {
                Answer { status: 302, headers: format!("location: {host}/{id}\r\n"), body: String::new() }
            }
            (None, Some(lines)) => Answer::lines(&lines),
        }
    }
}
