//! What of a run is at work, and what waits for somebody to approve it: so that a run can stop when nothing is left to do but
//! to wait (docs/reference.md, "Approvals"). Must not know who decides, nor what a job does.

use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
    rc::Rc,
    time::Duration,
};

use tokio::sync::Notify;

use super::decisions::NamedCall;

/// How long nothing may change before what waits counts as all that is left: what goes on side by side begins one after the
/// other.
const SETTLED: Duration = Duration::from_millis(40);

/// The name of a job.
pub(crate) type JobId = u64;

/// What a job is for.
#[derive(Clone, Debug)]
pub(crate) enum Work {
    /// The run of a prompt.
    Run {
        /// It answers for a model, which another run asks.
        is_within_answer: bool,
    },
    /// A call: of a tool, of an item of an array form, by code of the model's.
    Call(Rc<NamedCall>),
}

#[derive(Debug)]
struct Job {
    parent: Option<JobId>,
    work: Work,
    /// A run that asks its model does something itself.
    is_asking: bool,
    /// Somebody has to decide on it.
    waits: bool,
}

/// The jobs of a whole run.
#[derive(Default)]
pub(crate) struct Jobs {
    /// Whether anybody wants to know.
    is_on: bool,
    jobs: RefCell<BTreeMap<JobId, Job>>,
    next: Cell<JobId>,
    /// Counts changes.
    changes: Cell<u64>,
    changed: Notify,
}

impl Jobs {
    /// Of a run that begins. `is_on` says whether it may have to stop, or stopped before: else nobody wants to know.
    pub(crate) fn new(is_on: bool) -> Rc<Self> {
        Rc::new(Jobs { is_on, ..Jobs::default() })
    }

    /// Whether jobs are counted.
    pub(crate) fn is_on(&self) -> bool {
        self.is_on
    }

    /// Begins a job; it ends when what this returns is dropped.
    pub(crate) fn begin(self: &Rc<Self>, parent: Option<JobId>, work: Work) -> JobGuard {
        let id = self.next.get() + 1;
        self.next.set(id);
        self.jobs.borrow_mut().insert(id, Job { parent, work, is_asking: false, waits: false });
        self.change();
        JobGuard { jobs: self.clone(), id }
    }

    /// The call that a job is.
    pub(crate) fn call(&self, id: JobId) -> Option<Rc<NamedCall>> {
        match &self.jobs.borrow().get(&id)?.work {
            Work::Call(call) => Some(call.clone()),
            Work::Run { .. } => None,
        }
    }

    /// Says whether a run asks its model.
    pub(crate) fn set_asking(&self, id: JobId, is_asking: bool) {
        let mut jobs = self.jobs.borrow_mut();
        if let Some(job) = jobs.get_mut(&id).filter(|job| job.is_asking != is_asking) {
            job.is_asking = is_asking;
            drop(jobs);
            self.change();
        }
    }

    /// Says that a job waits from now on.
    pub(crate) fn wait(&self, id: JobId) {
        if let Some(job) = self.jobs.borrow_mut().get_mut(&id) {
            job.waits = true;
        }
        self.change();
    }

    /// Resolves when there are calls that wait and nothing else is at work.
    pub(crate) async fn all_wait(&self) {
        loop {
            // Made before looking, so that nothing in between is missed.
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
        jobs.values().any(|job| job.waits) && outermost.all(|(id, _)| blocks(&jobs, *id))
    }
}

/// Whether a job can only go on when somebody has decided.
fn blocks(jobs: &BTreeMap<JobId, Job>, id: JobId) -> bool {
    let Some(job) = jobs.get(&id) else { return false };
    if job.waits {
        return true;
    }
    let inner: Vec<_> = jobs.iter().filter(|(_, inner)| inner.parent == Some(id)).collect();
    let answers = |job: &Job| matches!(job.work, Work::Run { is_within_answer: true });
    let does_more = job.is_asking && !inner.iter().any(|(_, inner)| answers(inner));
    !inner.is_empty() && !does_more && inner.iter().all(|(id, _)| blocks(jobs, **id))
}

/// A job that is under way.
pub(crate) struct JobGuard {
    jobs: Rc<Jobs>,
    id: JobId,
}

impl JobGuard {
    /// Its name.
    pub(crate) fn id(&self) -> JobId {
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
    fn a_run_stops_when_nothing_but_what_waits_is_left() {
        let jobs = Jobs::new(true);
        let root = jobs.begin(None, run());
        jobs.set_asking(root.id(), true);
        let waits = jobs.begin(Some(root.id()), call("a"));
        jobs.wait(waits.id());
        assert!(!jobs.is_blocked(), "the model is asked");
        jobs.set_asking(root.id(), false);
        assert!(jobs.is_blocked());
        let works = jobs.begin(Some(root.id()), call("b"));
        assert!(!jobs.is_blocked(), "another call is made");
        let agent = jobs.begin(Some(works.id()), run());
        assert!(!jobs.is_blocked(), "an agent is set up");
        let inner_waits = jobs.begin(Some(agent.id()), call("c"));
        jobs.wait(inner_waits.id());
        assert!(jobs.is_blocked());
        drop(inner_waits);
        assert!(!jobs.is_blocked(), "the agent goes on");
        drop((agent, works));
        assert!(jobs.is_blocked());
        let inner_model = jobs.begin(Some(root.id()), run());
        assert!(!jobs.is_blocked());
        drop((inner_model, waits));
        assert!(!jobs.is_blocked(), "nothing waits");
    }
}
