//! Which agents are at work: each beginning that is told has one end that is told. Must not know who is told.

use std::{
    collections::{BTreeMap, HashMap},
    time::{Duration, Instant},
};

use super::Agent;

/// An agent at work.
struct Open {
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

/// The agents that are at work.
#[derive(Default)]
pub(super) struct Spans {
    /// By the number of the beginning: in the order they began.
    open: BTreeMap<u64, Open>,
    /// The beginning of each, by the agent's number.
    by_agent: HashMap<u64, u64>,
    opened: u64,
}

impl Spans {
    /// Notes a beginning and numbers it; nothing of an agent that is at work already, nor of the file's own prompt.
    pub(super) fn open(&mut self, agent: &Agent) -> Option<u64> {
        if agent.is_root() || self.by_agent.contains_key(&agent.number()) {
            return None;
        }
        self.opened += 1;
        self.by_agent.insert(agent.number(), self.opened);
        self.open.insert(self.opened, Open { agent: agent.clone(), began: Instant::now(), steps: 0 });
        Some(self.opened)
    }

    /// Counts a step.
    pub(super) fn count_step(&mut self, agent: &Agent) {
        let number = self.by_agent.get(&agent.number());
        if let Some(open) = number.and_then(|number| self.open.get_mut(number)) {
            open.steps += 1;
        }
    }

    /// Ends the beginning of this number, if it has not ended by now.
    pub(super) fn close_number(&mut self, number: u64) -> Option<Closed> {
        let Open { agent, began, steps } = self.open.remove(&number)?;
        self.by_agent.remove(&agent.number());
        Some(Closed { agent, steps, took: began.elapsed() })
    }

    /// Ends the work of this agent, if it works.
    pub(super) fn close_agent(&mut self, agent: &Agent) -> Option<Closed> {
        self.close_number(*self.by_agent.get(&agent.number())?)
    }

    /// Ends what began last: the innermost.
    pub(super) fn close_last(&mut self) -> Option<Closed> {
        self.close_number(*self.open.last_key_value()?.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Called;

    fn agent(number: u64) -> Agent {
        let called = Called { name: "a", tool_call_id: None, made_of: None };
        Agent::root().child(called, number, number.to_string())
    }

    #[test]
    fn every_beginning_has_one_end_the_innermost_first() {
        let agents: Vec<Agent> = (1..=3).map(agent).collect();
        let mut spans = Spans::default();
        assert_eq!(spans.open(&Agent::root()), None);
        let numbers: Vec<_> = agents.iter().map(|agent| spans.open(agent)).collect();
        assert_eq!(numbers, [Some(1), Some(2), Some(3)]);
        assert_eq!(spans.open(&agents[1]), None);
        spans.count_step(&agents[1]);
        assert_eq!(spans.close_agent(&agents[1]).map(|closed| closed.steps), Some(1));
        assert!(spans.close_agent(&agents[1]).is_none() && spans.close_number(2).is_none());
        // It may begin again.
        assert_eq!(spans.open(&agents[1]), Some(4));
        let last = std::iter::from_fn(|| spans.close_last()).map(|closed| closed.agent.number());
        assert_eq!(last.collect::<Vec<_>>(), [2, 3, 1]);
    }
}
