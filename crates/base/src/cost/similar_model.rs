//! Suggests a model of the price table for an unknown model id.

use super::{listing::model_ids, priced_model::PricedModel, prices::Prices};
use crate::diagnostic::closest;

/// The id of a model of the provider that is spelt almost like `model_id`, if the table does not have that. Ids that differ in
/// their digits are not suggested: they name an older or newer model.
pub fn similar_model(provider: &str, model_id: &str, today: &str) -> Option<String> {
    let model = PricedModel { provider, model_id, ..PricedModel::default() };
    if Prices::default().output_token_price(&model, 1).is_some() {
        return None;
    }
    let known = model_ids(provider, today);
    let meant = closest(model_id, known.iter().map(String::as_str))?;
    let letters = |name: &str| name.chars().filter(|c| !c.is_ascii_digit()).collect::<String>().to_lowercase();
    let digits = |name: &str| name.chars().filter(char::is_ascii_digit).collect::<String>();
    let is_other = letters(meant) == letters(model_id) || digits(meant) != digits(model_id);
    (!is_other).then(|| meant.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspelt_ids_are_distinguished_from_other_models() {
        let near = |provider, model_id| similar_model(provider, model_id, "2026-11-21");
        for (provider, model_id, meant) in [
            ("openai", "gpt-4oo", "gpt-4o"),
            ("openai", "gtp-4o", "gpt-4o"),
            ("openai", "gpt-4o-mimi", "gpt-4o-mini"),
            ("anthropic", "claude-sonet-4-5", "claude-sonnet-4-5"),
        ] {
            assert_eq!(near(provider, model_id).as_deref(), Some(meant));
        }
        for (provider, model_id) in [
            ("openai", "gpt-4o"),
            ("openai", "gpt-9"),
            ("anthropic", "claude-sonnet-9-5"),
            ("openai", "my-own"),
            ("lab", "gpt-4oo"),
            ("openai", ""),
        ] {
            assert_eq!(near(provider, model_id), None, "{provider}:{model_id}");
        }
    }
}
