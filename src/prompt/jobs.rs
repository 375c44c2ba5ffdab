//! What of a run is at work, and what waits for somebody to approve it: so that a run can stop when nothing is left to do but
//! to wait (docs/reference.md, "Approvals"). Must not know who decides, nor what a job does.

use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
    rc::Rc,
    time::Duration,
};

use tokio::sync::Notify;

use crate::checkpoint::{Held, PartName, Verdict, WaitingCall, asked_for};

/// How long nothing may change before what waits counts as all that is left: what goes on side by side begins one after the
/// other.
const SETTLED: Duration = Duration::from_millis(40);

/// What the code in the text of a step is called by, with the number of the step behind it.
pub(crate) const TEXT_CODE: &str = "code-";

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
    Call(Rc<CallJob>),
}

/// A call that may have to be approved.
#[derive(Clone, Debug)]
pub(crate) struct CallJob {
    /// The key of its prompt's run.
    pub key: String,
    /// The names of the agents that the prompt is, from the outermost.
    pub agent: Vec<Rc<str>>,
    /// The id of the tool call; what stands for that of code in a model's text.
    pub call: String,
    /// Whether that is the id of a tool call.
    pub is_tool_call: bool,
    /// The part of the call that it is.
    pub part: Option<PartName>,
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

/// A call that waits in this process, and who made it.
#[derive(Clone, Debug)]
pub(crate) struct Waiter {
    pub held: Held,
    pub agent: Vec<Rc<str>>,
    /// Whether it is made by a tool call.
    pub is_tool_call: bool,
}

/// The jobs of a whole run.
#[derive(Default)]
pub(crate) struct Jobs {
    /// Whether anybody wants to know.
    is_on: bool,
    jobs: RefCell<BTreeMap<JobId, Job>>,
    next: Cell<JobId>,
    /// Calls that wait or have waited, of earlier processes too.
    held: RefCell<Vec<Held>>,
    /// Those of them that were asked for in this process, or are over, by their numbers.
    taken: RefCell<Vec<usize>>,
    waiters: RefCell<Vec<Waiter>>,
    /// The number of the call that began to wait last.
    last: Cell<usize>,
    round: usize,
    /// Counts changes.
    changes: Cell<u64>,
    changed: Notify,
}

/// What is known of a call before anybody is asked.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Known {
    /// It was decided.
    Decided(Verdict),
    /// Nothing; `is_other` says that a call with other arguments was approved in its place.
    Nothing { is_other: bool },
}

impl Jobs {
    /// Of a run whose earlier processes have left these calls, `last` being the highest number of any. `stops` says that it may
    /// have to stop.
    pub(crate) fn new(stops: bool, held: Vec<Held>, last: usize) -> Rc<Self> {
        let round = held.iter().map(|held| held.call.round).max().unwrap_or(0) + 1;
        Rc::new(Jobs {
            is_on: stops || !held.is_empty(),
            taken: RefCell::new(held.iter().filter(|held| held.is_spent).map(|held| held.call.serial).collect()),
            held: RefCell::new(held),
            last: Cell::new(last),
            round,
            ..Jobs::default()
        })
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
    pub(crate) fn call(&self, id: JobId) -> Option<Rc<CallJob>> {
        match &self.jobs.borrow().get(&id)?.work {
            Work::Call(call) => Some(call.clone()),
            Work::Run { .. } => None,
        }
    }

    /// A run asks for another answer: what was decided for tool calls of the one before is for no other call.
    pub(crate) fn begin_answer(&self, key: &str) {
        // Code in a text is called by its step, and may be of an answer that broke off. What was decided stays known, for the
        // names of calls.
        let is_of_before = |held: &&Held| held.key == key && !held.call.call.starts_with(TEXT_CODE);
        let held = self.held.borrow();
        self.taken.borrow_mut().extend(held.iter().filter(is_of_before).map(|held| held.call.serial));
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

    /// What was decided on a call of this name with these arguments. Each decision is for one call.
    pub(crate) fn known(&self, call: &CallJob, name: &str, args: &str) -> Known {
        let asked = asked_for(name, args, &part_text(call));
        let mut taken = self.taken.borrow_mut();
        let held = self.held.borrow();
        let of_call = || held.iter().filter(|held| held.key == call.key && held.call.call == call.call);
        let decided = of_call().find_map(|held| {
            let is_this = held.call.asked == asked && !taken.contains(&held.call.serial);
            Some((held.call.serial, held.verdict.clone()?)).filter(|_| is_this)
        });
        match decided {
            Some((serial, verdict)) => {
                taken.push(serial);
                Known::Decided(verdict)
            }
            None => Known::Nothing {
                is_other: of_call().any(|held| {
                    let is_approved = held.verdict == Some(Verdict::Approved);
                    is_approved && held.call.name == name && !taken.contains(&held.call.serial)
                }),
            },
        }
    }

    /// Notes that a call waits from now on; the call as it is kept.
    pub(crate) fn wait(&self, id: JobId, call: &CallJob, name: &str, args: String) -> WaitingCall {
        let asked = asked_for(name, &args, &part_text(call));
        let mut held = self.held.borrow_mut();
        let mut taken = self.taken.borrow_mut();
        let is_this = |held: &&Held| {
            let is_free = held.verdict.is_none() && !taken.contains(&held.call.serial);
            is_free && held.key == call.key && held.call.call == call.call && held.call.asked == asked
        };
        let serial = held.iter().find(is_this).map(|held| held.call.serial);
        let serial = serial.unwrap_or_else(|| {
            self.last.set(self.last.get() + 1);
            self.last.get()
        });
        taken.push(serial);
        let waiting = WaitingCall {
            serial,
            round: self.round,
            call: call.call.clone(),
            asked,
            name: name.to_owned(),
            args,
            part: call.part.clone(),
        };
        let now = Held::new(&call.key, waiting.clone());
        match held.iter_mut().find(|held| held.call.serial == serial) {
            Some(known) => *known = now.clone(),
            None => held.push(now.clone()),
        }
        self.waiters.borrow_mut().push(Waiter {
            held: now,
            agent: call.agent.clone(),
            is_tool_call: call.is_tool_call,
        });
        if let Some(job) = self.jobs.borrow_mut().get_mut(&id) {
            job.waits = true;
        }
        self.change();
        waiting
    }

    /// The calls that wait, by their numbers, and all that they may be mixed up with.
    pub(crate) fn waiters(&self) -> (Vec<Waiter>, Vec<Held>) {
        let mut waiters = self.waiters.borrow().clone();
        waiters.sort_by_key(|waiter| waiter.held.call.serial);
        (waiters, self.held.borrow().clone())
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

/// What tells a part from others of its call, whatever the code is that asks for it.
fn part_text(call: &CallJob) -> String {
    call.part.as_ref().map(|part| part.number.to_string()).unwrap_or_default()
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

    fn call(id: &str) -> (Work, Rc<CallJob>) {
        let call = Rc::new(CallJob {
            key: String::new(),
            agent: Vec::new(),
            call: id.to_owned(),
            is_tool_call: true,
            part: None,
        });
        (Work::Call(call.clone()), call)
    }

    fn run() -> Work {
        Work::Run { is_within_answer: false }
    }

    #[test]
    fn a_run_stops_when_nothing_but_what_waits_is_left() {
        let jobs = Jobs::new(true, Vec::new(), 0);
        let root = jobs.begin(None, run());
        jobs.set_asking(root.id(), true);
        let ((work, deploy), (other, _)) = (call("a"), call("b"));
        let waits = jobs.begin(Some(root.id()), work);
        jobs.wait(waits.id(), &deploy, "deploy", "{}".to_owned());
        assert!(!jobs.is_blocked(), "the model is asked");
        jobs.set_asking(root.id(), false);
        assert!(jobs.is_blocked());
        let works = jobs.begin(Some(root.id()), other);
        assert!(!jobs.is_blocked(), "another call is made");
        let agent = jobs.begin(Some(works.id()), run());
        assert!(!jobs.is_blocked(), "an agent is set up");
        let (work, inner) = call("c");
        let inner_waits = jobs.begin(Some(agent.id()), work);
        jobs.wait(inner_waits.id(), &inner, "deploy", "{}".to_owned());
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

    #[test]
    fn a_decision_is_for_one_call_with_its_arguments() {
        let (_, deploy) = call("a");
        let first = Jobs::new(true, Vec::new(), 0);
        let waiting = ["{}", "{}", "[]"].map(|args| first.wait(0, &deploy, "deploy", args.to_owned()));
        assert_eq!(waiting.each_ref().map(|call| (call.serial, call.round)), [(1, 1), (2, 1), (3, 1)]);
        let verdicts = [Some(Verdict::Approved), None, Some(Verdict::Denied(None))];
        let held = |(call, verdict): (WaitingCall, _)| Held { verdict, ..Held::new("", call) };
        let next = Jobs::new(false, waiting.into_iter().zip(verdicts).map(held).collect(), 3);
        let known = |args: &str| next.known(&deploy, "deploy", args);
        assert_eq!(known("{ }"), Known::Nothing { is_other: true });
        assert_eq!(known("{}"), Known::Decided(Verdict::Approved));
        assert_eq!(known("{}"), Known::Nothing { is_other: false }, "it was for one call");
        assert_eq!(next.wait(0, &deploy, "deploy", "{}".to_owned()).serial, 2);
        assert_eq!(known("[]"), Known::Decided(Verdict::Denied(None)));
    }

    #[test]
    fn a_decision_is_not_for_a_later_call() {
        let (_, deploy) = call("a");
        let waiting = Jobs::new(true, Vec::new(), 0).wait(0, &deploy, "deploy", "{}".to_owned());
        let approved = Held { verdict: Some(Verdict::Approved), ..Held::new("", waiting) };
        let over = Jobs::new(false, vec![Held { is_spent: true, ..approved.clone() }], 1);
        assert_eq!(over.known(&deploy, "deploy", "{}"), Known::Nothing { is_other: false });
        let another_answer = Jobs::new(false, vec![approved.clone()], 1);
        another_answer.begin_answer("/0:other");
        assert_eq!(another_answer.known(&deploy, "deploy", "{}"), Known::Decided(Verdict::Approved));
        let another_answer = Jobs::new(false, vec![approved], 1);
        another_answer.begin_answer("");
        assert_eq!(another_answer.known(&deploy, "deploy", "{}"), Known::Nothing { is_other: false });
    }
}
