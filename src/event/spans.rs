//! Which agents are at work: each beginning that is told has one end that is told. Must not know who is told.

use std::time::{Duration, Instant};

use super::Agent;

/// An agent at work.
struct Open {
    number: u64,
    agent: Agent,
    began: Instant,
    steps: usize,
}

/// What is told of an agent whose work has ended.
pub(super) struct Closed {
    pub(super) agent: Agent,
    pub(super) steps: usize,
    pub(super) took: Duration,
}

/// The agents that are at work, in the order they began.
#[derive(Default)]
pub(super) struct Spans {
    open: Vec<Open>,
    opened: u64,
}

impl Spans {
    /// Notes a beginning and numbers it; nothing of an agent that is at work already, nor of the file's own prompt.
    pub(super) fn open(&mut self, agent: &Agent) -> Option<u64> {
        if agent.is_root() || self.open.iter().any(|open| open.agent == *agent) {
            return None;
        }
        self.opened += 1;
        self.open.push(Open { number: self.opened, agent: agent.clone(), began: Instant::now(), steps: 0 });
        Some(self.opened)
    }

    /// Counts a step.
    pub(super) fn count_step(&mut self, agent: &Agent) {
        self.open.iter_mut().filter(|open| open.agent == *agent).for_each(|open| open.steps += 1);
    }

    /// Ends the beginning of this number, if it has not ended by now.
    pub(super) fn close_number(&mut self, number: u64) -> Option<Closed> {
        self.close(|open| open.number == number)
    }

    /// Ends the work of this agent, if it works.
    pub(super) fn close_agent(&mut self, agent: &Agent) -> Option<Closed> {
        self.close(|open| open.agent == *agent)
    }

    /// Ends what began last: the innermost.
    pub(super) fn close_last(&mut self) -> Option<Closed> {
        self.close(|_| true)
    }

    fn close(&mut self, is_meant: impl Fn(&Open) -> bool) -> Option<Closed> {
        let Open { agent, began, steps, .. } = self.open.remove(self.open.iter().rposition(is_meant)?);
        Some(Closed { agent, steps, took: began.elapsed() })
    }
}
