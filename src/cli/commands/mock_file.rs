//! The file of `run --mock` (docs/reference/command-line.md): mock items as JSON.

use std::path::Path;

use serde_json::Value;

use crate::cli::{
    failure::{WrongUsage, io_error_text},
    setup_args::SetupArgs,
};
use lmthing_base::diagnostic::{did_you_mean, ends_in_json};
use lmthing_engine::bindings::ModelChoice;
use lmthing_providers::MockItem;
use lmthing_system::user_file::{self, MAX_SETTINGS};

const FORM: &str = r#"expected an array of mock items: [{ "type": "text", "text": "Hello" }]"#;

/// The model of `--mock` or `--model`, which replaces the file's own.
pub(super) fn chosen_model(setup: &SetupArgs) -> Result<Option<ModelChoice>, WrongUsage> {
    Ok(match (&setup.mock, &setup.model) {
        (Some(path), _) => Some(read(path)?),
        (None, model) => model.clone().map(ModelChoice::Named),
    })
}

pub(super) fn read(path: &Path) -> Result<ModelChoice, WrongUsage> {
    let place = format!("--mock {}", path.display());
    let wrong = |what: String| WrongUsage::new(format!("{place}: {what}"), FORM);
    let text = user_file::read_text(path, MAX_SETTINGS).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => {
            let message = format!("{place}: cannot read the file: {}", io_error_text(&error));
            WrongUsage::new(message, did_you_mean(path, ends_in_json).unwrap_or_else(|| FORM.to_owned()))
        }
        std::io::ErrorKind::InvalidData => wrong("it is not UTF-8 text".to_owned()),
        _ => wrong(format!("cannot read the file: {}", io_error_text(&error))),
    })?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let items: Value = serde_json::from_str(text).map_err(|error| wrong(format!("it is not JSON: {error}")))?;
    let Value::Array(items) = items else { return Err(wrong("it holds no array".to_owned())) };
    let items = items
        .iter()
        .enumerate()
        .map(|(index, item)| MockItem::from_json(index, item).map_err(|error| wrong(error.to_string())));
    Ok(ModelChoice::Mock { items: items.collect::<Result<_, _>>()?, place })
}
