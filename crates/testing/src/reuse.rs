//! Compares the requests of each conversation of a run, for `toReuse` (docs/guide/testing.md).

use std::collections::HashMap;

use lmthing_base::{
    cache::{Change, SentPrompt, overlap},
    chat::Step,
    event::Agent,
};
use lmthing_engine::bindings::testing::run::runner::StepReuse;

#[derive(Default)]
pub(super) struct ReuseCollector {
    /// By the numbers of agents, as several may have the same name.
    conversations: HashMap<u64, Conversation>,
    pub(super) steps: Vec<StepReuse>,
}

#[derive(Default)]
struct Conversation {
    count: usize,
    before: Option<SentPrompt>,
    before_that: Option<SentPrompt>,
}

impl ReuseCollector {
    pub(super) fn add(&mut self, agent: &Agent, step: &Step) {
        let sent = SentPrompt {
            messages: step.prompt.clone(),
            tools: step.tools.clone(),
            active_tools: step.active_tools.as_slice().into(),
            ..SentPrompt::default()
        };
        let conversation = self.conversations.entry(agent.number()).or_default();
        if let Some(before) = &conversation.before {
            let mut found = overlap(before, &sent);
            // A cache also has the request before that one, from which a change of one step ends.
            if let (Some(_), Some(earlier)) = (&found.change, &conversation.before_that) {
                let earlier = overlap(earlier, &sent);
                if earlier.change.is_none() {
                    found = earlier;
                }
            }
            let changed = found.change.map(|Change { kind, name, .. }| (kind.as_str(), name));
            let agent = agent.path().iter().map(ToString::to_string).collect();
            self.steps.push(StepReuse {
                agent,
                step: conversation.count,
                same: found.same.min(found.before),
                before: found.before,
                changed,
            });
        }
        conversation.count += 1;
        conversation.before_that = conversation.before.replace(sent);
    }
}
