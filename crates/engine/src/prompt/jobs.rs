//! Tracks the work of a run, to end it when only calls that wait for approval are left
//! (docs/reference/approvals.md), or only requests that wait for batches (docs/reference/batches.md).

use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
    rc::Rc,
    time::Duration,
};

use tokio::sync::Notify;

use super::decisions::NamedCall;

/// How long the state must not change before the run counts as blocked: work that runs concurrently begins one after
/// the other.
const SETTLED: Duration = Duration::from_millis(40);

pub type JobId = u64;

#[derive(Clone, Debug)]
pub enum Work {
    Run {
        /// It answers a request of another run, as a model written in JavaScript.
        is_within_answer: bool,
    },
    /// A call of a tool, of an item of an array form, or by model-written code.
    Call(Rc<NamedCall>),
}

#[derive(Debug)]
struct Job {
    parent: Option<JobId>,
    work: Work,
    is_asking: bool,
    waits: bool,
}

#[derive(Default)]
pub struct Jobs {
    is_enabled: bool,
    jobs: RefCell<BTreeMap<JobId, Job>>,
    next: Cell<JobId>,
    /// The number of [`StoringGuard`]s.
    storing: Cell<usize>,
    /// The number of requests that wait for batches.
    batched: Cell<usize>,
    /// The number of [`CodeGuard`]s.
    code: Cell<usize>,
    changes: Cell<u64>,
    changed: Notify,
}

impl Jobs {
    /// `is_enabled` is false if the run can neither stop for approvals nor did before.
    pub fn new(is_enabled: bool) -> Rc<Self> {
        Rc::new(Jobs { is_enabled, ..Jobs::default() })
    }

    pub fn is_enabled(&self) -> bool {
        self.is_enabled
    }

    pub fn begin(self: &Rc<Self>, parent: Option<JobId>, work: Work) -> JobGuard {
        let id = self.next.get() + 1;
        self.next.set(id);
        self.jobs.borrow_mut().insert(id, Job { parent, work, is_asking: false, waits: false });
        self.change();
        JobGuard { jobs: self.clone(), id }
    }

    /// While entries are stored the run is not blocked: calls begin and go on after that.
    pub fn begin_storing(self: &Rc<Self>) -> StoringGuard {
        self.storing.set(self.storing.get() + 1);
        self.change();
        StoringGuard(self.clone())
    }

    pub fn call(&self, id: JobId) -> Option<Rc<NamedCall>> {
        match &self.jobs.borrow().get(&id)?.work {
            Work::Call(call) => Some(call.clone()),
            Work::Run { .. } => None,
        }
    }

    pub fn set_asking(&self, id: JobId, is_asking: bool) {
        let mut jobs = self.jobs.borrow_mut();
        if let Some(job) = jobs.get_mut(&id).filter(|job| job.is_asking != is_asking) {
            job.is_asking = is_asking;
            drop(jobs);
            self.change();
        }
    }

    pub fn wait(&self, id: JobId) {
        if let Some(job) = self.jobs.borrow_mut().get_mut(&id) {
            job.waits = true;
        }
        self.change();
    }

    /// A request waits for a batch until the run ends.
    pub fn wait_for_batch(&self) {
        self.batched.set(self.batched.get() + 1);
        self.change();
    }

    pub fn batched(&self) -> usize {
        self.batched.get()
    }

    /// Code of the model runs, which waits for the functions that it calls.
    pub fn begin_code(self: &Rc<Self>) -> CodeGuard {
        self.code.set(self.code.get() + 1);
        CodeGuard(self.clone())
    }

    pub fn running_code(&self) -> usize {
        self.code.get()
    }

    /// Resolves when there are waiting calls or requests, and no other work.
    pub async fn all_wait(&self) {
        loop {
            // Created before the check, so that no notification is missed.
            let changed = self.changed.notified();
            let before = self.changes.get();
            if self.is_blocked() {
                tokio::time::sleep(SETTLED).await;
                if self.changes.get() == before {
                    return;
                }
                continue;
            }
            changed.await;
        }
    }

    fn change(&self) {
        self.changes.set(self.changes.get() + 1);
        self.changed.notify_waiters();
    }

    fn is_blocked(&self) -> bool {
        let jobs = self.jobs.borrow();
        let mut outermost = jobs.iter().filter(|(_, job)| job.parent.is_none_or(|parent| !jobs.contains_key(&parent)));
        let is_storing = self.storing.get() > 0;
        let batched = self.batched.get();
        // Until all requests are known to wait, one of them may still be sent.
        let are_batched =
            batched > 0 && jobs.iter().filter(|(id, job)| job.is_asking && !has_inner(&jobs, **id)).count() == batched;
        let any_waits = are_batched || jobs.values().any(|job| job.waits);
        !is_storing && any_waits && outermost.all(|(id, _)| is_waiting(&jobs, *id, are_batched))
    }
}

fn has_inner(jobs: &BTreeMap<JobId, Job>, id: JobId) -> bool {
    jobs.values().any(|job| job.parent == Some(id))
}

/// Whether a job can continue only after a decision, or the answer of a batch.
fn is_waiting(jobs: &BTreeMap<JobId, Job>, id: JobId, are_batched: bool) -> bool {
    let Some(job) = jobs.get(&id) else { return false };
    if job.waits {
        return true;
    }
    let inner: Vec<_> = jobs.iter().filter(|(_, inner)| inner.parent == Some(id)).collect();
    if inner.is_empty() {
        return are_batched && job.is_asking;
    }
    let answers = |job: &Job| matches!(job.work, Work::Run { is_within_answer: true });
    let does_more = job.is_asking && !inner.iter().any(|(_, inner)| answers(inner));
    !does_more && inner.iter().all(|(id, _)| is_waiting(jobs, **id, are_batched))
}

/// An entry is stored until this is dropped.
pub struct StoringGuard(Rc<Jobs>);

impl Drop for StoringGuard {
    fn drop(&mut self) {
        self.0.storing.set(self.0.storing.get() - 1);
        self.0.change();
    }
}

/// Code runs until this is dropped.
pub struct CodeGuard(Rc<Jobs>);

impl Drop for CodeGuard {
    fn drop(&mut self) {
        self.0.code.set(self.0.code.get() - 1);
    }
}

pub struct JobGuard {
    jobs: Rc<Jobs>,
    id: JobId,
}

impl JobGuard {
    pub fn id(&self) -> JobId {
        self.id
    }
}

impl Drop for JobGuard {
    fn drop(&mut self) {
        self.jobs.jobs.borrow_mut().remove(&self.id);
        self.jobs.change();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(id: &str) -> Work {
        Work::Call(Rc::new(NamedCall::of_tool(id)))
    }

    fn run() -> Work {
        Work::Run { is_within_answer: false }
    }

    #[test]
    fn a_run_is_blocked_when_only_requests_of_batches_are_left() {
        let jobs = Jobs::new(true);
        let root = jobs.begin(None, run());
        let tool = jobs.begin(Some(root.id()), call("a"));
        let agents = [jobs.begin(Some(tool.id()), run()), jobs.begin(Some(tool.id()), run())];
        jobs.set_asking(agents[0].id(), true);
        jobs.wait_for_batch();
        assert!(!jobs.is_blocked(), "the other agent starts");
        jobs.set_asking(agents[1].id(), true);
        assert!(!jobs.is_blocked(), "its request may be sent");
        jobs.wait_for_batch();
        assert!(jobs.is_blocked());
        let works = jobs.begin(Some(root.id()), call("b"));
        assert!(!jobs.is_blocked(), "another call is running");
        drop(works);
        assert!(jobs.is_blocked());
    }

    #[test]
    fn a_run_is_blocked_when_only_waiting_calls_are_left() {
        let jobs = Jobs::new(true);
        let root = jobs.begin(None, run());
        jobs.set_asking(root.id(), true);
        let waits = jobs.begin(Some(root.id()), call("a"));
        jobs.wait(waits.id());
        assert!(!jobs.is_blocked(), "the model is answering");
        jobs.set_asking(root.id(), false);
        assert!(jobs.is_blocked());
        let works = jobs.begin(Some(root.id()), call("b"));
        assert!(!jobs.is_blocked(), "another call is running");
        let agent = jobs.begin(Some(works.id()), run());
        assert!(!jobs.is_blocked(), "an agent starts");
        let inner_waits = jobs.begin(Some(agent.id()), call("c"));
        jobs.wait(inner_waits.id());
        assert!(jobs.is_blocked());
        drop(inner_waits);
        assert!(!jobs.is_blocked(), "the agent continues");
        drop((agent, works));
        assert!(jobs.is_blocked());
        let storing = jobs.begin_storing();
        assert!(!jobs.is_blocked(), "a call begins when its entry is stored");
        drop(storing);
        assert!(jobs.is_blocked());
        let inner_model = jobs.begin(Some(root.id()), run());
        assert!(!jobs.is_blocked());
        drop((inner_model, waits));
        assert!(!jobs.is_blocked(), "no call waits");
    }
}
