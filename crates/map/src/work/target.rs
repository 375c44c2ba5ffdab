//! What the units of a pool run: the prompt file of a map, or the variants of an eval with their models.

use std::{path::PathBuf, sync::Arc};

use serde_json::{Map, Value};

use crate::{
    hashes::{hash_of, stable_hash},
    row_files::RowFiles,
};
use lmthing_base::input::InputShape;
use lmthing_engine::{bindings::ConfigOverrides, session::SharedModel};

/// A prompt file with what replaces its own settings.
pub struct Target {
    pub file: PathBuf,
    /// As the user typed it.
    pub shown_file: String,
    pub model: Option<SharedModel>,
    pub overrides: ConfigOverrides,
    /// Input declaration of the file at the time of the validation. Its shape is `null` if the file takes none.
    pub taken: Arc<InputShape>,
    /// Where the files are that inputs name.
    pub files: RowFiles,
    /// Distinguishes it from other targets, also of later commands. Empty for the only one.
    pub tag: String,
}

impl Target {
    pub(super) fn takes_input(&self) -> bool {
        !self.taken.shape.is_null()
    }

    /// Identifies units of the same target and input across commands.
    pub fn identity(&self, input: &Map<String, Value>) -> String {
        let input = stable_hash(input);
        if self.tag.is_empty() { input } else { hash_of(&format!("{} {input}", self.tag)) }
    }
}

/// The targets of all units, which take turns.
pub struct Targets {
    all: Vec<Target>,
    /// How many units in succession have the same target.
    repeat: u64,
}

impl Targets {
    pub fn one(target: Target) -> Self {
        Targets { all: vec![target], repeat: 1 }
    }

    /// `all` must not be empty.
    pub fn in_turn(all: Vec<Target>, repeat: u64) -> Self {
        Targets { all, repeat: repeat.max(1) }
    }

    pub(super) fn count(&self) -> usize {
        self.all.len()
    }

    /// The index of the target of a unit. Units are numbered from 1.
    pub(super) fn index(&self, number: u64) -> usize {
        let turn = number.saturating_sub(1) / self.repeat;
        usize::try_from(turn % self.all.len() as u64).unwrap_or(0)
    }

    pub(super) fn of(&self, number: u64) -> &Target {
        &self.all[self.index(number)]
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn target(tag: &str) -> Target {
        let taken = InputShape { shape: json!({}), declaration: lmthing_base::input::Declaration::default() };
        Target {
            file: PathBuf::new(),
            shown_file: String::new(),
            model: None,
            overrides: ConfigOverrides::default(),
            taken: Arc::new(taken),
            files: RowFiles::default(),
            tag: tag.to_owned(),
        }
    }

    #[test]
    fn targets_take_turns() {
        let targets = Targets::in_turn(vec![target("a"), target("b")], 2);
        let tags: Vec<&str> = (1..=6).map(|number| &*targets.of(number).tag).collect();
        assert_eq!(tags, ["a", "a", "b", "b", "a", "a"]);
    }

    #[test]
    fn the_same_input_is_another_unit_for_another_target() {
        let input = Map::new();
        assert_eq!(target("").identity(&input), stable_hash(&input));
        assert_ne!(target("a").identity(&input), target("b").identity(&input));
    }
}
