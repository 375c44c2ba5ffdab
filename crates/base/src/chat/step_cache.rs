//! What a provider's prompt cache saved of a step's input, and what kept it from saving more
//! (docs/reference/events.md#the-prompt-cache).

use serde::{Deserialize, Serialize};

/// Token counts of the prompt cache, for one step or as the sums of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StepCache {
    /// Input that the provider read from its cache.
    pub read: u64,
    /// Input that the provider wrote to its cache, where it reports that.
    pub written: u64,
    /// Input that could be read if all of the request before was sent again, followed by new messages.
    pub expected: u64,
    /// Why less was read; for several steps the costliest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub broken_by: Option<CacheBreak>,
}

/// The first part of a request that differs from the request before, in the order of the provider.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CacheBreak {
    pub kind: CacheBreakKind,
    /// The section, variable, tool or setting, or the model that answers now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Tokens that would have been read and were not.
    pub tokens: u64,
    /// Their extra price in US dollars, if the prices are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CacheBreakKind {
    /// A section of the system prompt; without a name the plain text of `options.system`.
    Section,
    Variable,
    Tools,
    /// A message that was sent before.
    Message,
    Settings,
    /// Another model of a list answers.
    Model,
    /// Nothing has changed, and the provider read less all the same.
    Provider,
}

impl CacheBreakKind {
    /// The name in JavaScript.
    pub fn as_str(self) -> &'static str {
        match self {
            CacheBreakKind::Section => "section",
            CacheBreakKind::Variable => "variable",
            CacheBreakKind::Tools => "tools",
            CacheBreakKind::Message => "message",
            CacheBreakKind::Settings => "settings",
            CacheBreakKind::Model => "model",
            CacheBreakKind::Provider => "provider",
        }
    }
}

impl StepCache {
    /// Adds the counts of another request. The costlier break stays.
    pub fn add(&mut self, other: &StepCache) {
        self.read += other.read;
        self.written += other.written;
        self.expected += other.expected;
        let price = |broken: &Option<CacheBreak>| broken.as_ref().map(|broken| (broken.cost, broken.tokens));
        if price(&other.broken_by) > price(&self.broken_by) {
            self.broken_by.clone_from(&other.broken_by);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn broken(name: Option<&str>, tokens: u64, cost: Option<f64>) -> StepCache {
        let name = name.map(str::to_owned);
        let broken_by = Some(CacheBreak { kind: CacheBreakKind::Section, name, tokens, cost });
        StepCache { read: 1, written: 2, expected: 3, broken_by }
    }

    #[test]
    fn the_json_has_what_is_known() {
        let whole = json!({ "read": 1, "written": 2, "expected": 3,
            "brokenBy": { "kind": "section", "name": "role", "tokens": 5, "cost": 0.5 } });
        assert_eq!(json!(broken(Some("role"), 5, Some(0.5))), whole);
        assert_eq!(serde_json::from_value::<StepCache>(whole).unwrap(), broken(Some("role"), 5, Some(0.5)));
        assert_eq!(json!(broken(None, 5, None))["brokenBy"], json!({ "kind": "section", "tokens": 5 }));
        assert_eq!(json!(StepCache::default()), json!({ "read": 0, "written": 0, "expected": 0 }));
    }

    #[test]
    fn sums_keep_the_costliest_break() {
        let mut sum = StepCache::default();
        for (name, tokens, cost) in
            [("a", 5, None), ("b", 9, None), ("c", 2, Some(0.1)), ("d", 50, None), ("e", 3, Some(0.3))]
        {
            sum.add(&broken(Some(name), tokens, cost));
        }
        sum.add(&StepCache { read: 5, ..StepCache::default() });
        assert_eq!(sum, StepCache { read: 10, written: 10, expected: 15, ..broken(Some("e"), 3, Some(0.3)) });
    }
}
