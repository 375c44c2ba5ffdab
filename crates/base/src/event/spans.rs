//! The running agents: each start event has exactly one end event.

use std::{
    collections::{BTreeMap, HashMap},
    time::{Duration, Instant},
};

use super::Agent;

struct OpenSpan {
    agent: Agent,
    began: Instant,
    steps: usize,
}

pub(super) struct ClosedSpan {
    pub(super) agent: Agent,
    pub(super) steps: usize,
    pub(super) took: Duration,
}

#[derive(Default)]
pub(super) struct Spans {
    /// By start number, so in the order they began.
    open: BTreeMap<u64, OpenSpan>,
    /// The start number of each, by the agent's number.
    by_agent: HashMap<u64, u64>,
    opened: u64,
}

impl Spans {
    /// Registers a start and returns its number; `None` if the agent is already running, or is the file's own prompt.
    pub(super) fn open(&mut self, agent: &Agent) -> Option<u64> {
        if agent.is_root() || self.by_agent.contains_key(&agent.number()) {
            return None;
        }
        self.opened += 1;
        self.by_agent.insert(agent.number(), self.opened);
        self.open.insert(self.opened, OpenSpan { agent: agent.clone(), began: Instant::now(), steps: 0 });
        Some(self.opened)
    }

    pub(super) fn count_step(&mut self, agent: &Agent) {
        let number = self.by_agent.get(&agent.number());
        if let Some(open) = number.and_then(|number| self.open.get_mut(number)) {
            open.steps += 1;
        }
    }

    /// Ends the span with this start number, if it is still open.
    pub(super) fn close_number(&mut self, number: u64) -> Option<ClosedSpan> {
        let OpenSpan { agent, began, steps } = self.open.remove(&number)?;
        self.by_agent.remove(&agent.number());
        Some(ClosedSpan { agent, steps, took: began.elapsed() })
    }

    pub(super) fn close_agent(&mut self, agent: &Agent) -> Option<ClosedSpan> {
        self.close_number(*self.by_agent.get(&agent.number())?)
    }

    pub(super) fn close_last(&mut self) -> Option<ClosedSpan> {
        self.close_number(*self.open.last_key_value()?.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::AgentIdentity;

    fn agent(number: u64) -> Agent {
        let called = AgentIdentity { name: "a", tool_call_id: None, definition_hash: None };
        Agent::root().child(called, number, number.to_string())
    }

    #[test]
    fn every_start_has_one_end_the_innermost_first() {
        let agents: Vec<Agent> = (1..=3).map(agent).collect();
        let mut spans = Spans::default();
        assert_eq!(spans.open(&Agent::root()), None);
        let numbers: Vec<_> = agents.iter().map(|agent| spans.open(agent)).collect();
        assert_eq!(numbers, [Some(1), Some(2), Some(3)]);
        assert_eq!(spans.open(&agents[1]), None);
        spans.count_step(&agents[1]);
        assert_eq!(spans.close_agent(&agents[1]).map(|closed| closed.steps), Some(1));
        assert!(spans.close_agent(&agents[1]).is_none() && spans.close_number(2).is_none());
        // An agent may start again.
        assert_eq!(spans.open(&agents[1]), Some(4));
        let last = std::iter::from_fn(|| spans.close_last()).map(|closed| closed.agent.number());
        assert_eq!(last.collect::<Vec<_>>(), [2, 3, 1]);
    }
}
