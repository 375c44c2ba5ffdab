//! What the readers of an eval file's exports share.

use std::path::{Path, PathBuf};

use rquickjs::{Object, Value};

use crate::bindings::{
    inspect::{
        FaultSeverity, PathKey,
        exports::{Faults, check_model},
    },
    results::throw::throw_no_model,
    run::module::path_of,
    services,
};
use lmthing_base::diagnostic::{escape_invisible, is_bidi_control};
use lmthing_providers::{provider_of, resolve};
use lmthing_system::files::check_prompt_file;

pub(super) const WRONG: (&str, FaultSeverity) = ("export", FaultSeverity::Error);

/// Reports a model string that names no provider, and, less severely, one that surely has no key.
pub(super) fn check_model_string<'js>(faults: &mut Faults<'_, 'js>, place: &[PathKey], model: &Value<'js>) {
    let ctx = model.ctx();
    let Some(name) = model.as_string().and_then(|name| name.to_string().ok()) else { return };
    let mut finds_key = false;
    let resolved = services::providers(ctx).and_then(|providers| {
        finds_key = provider_of(&name, &providers).is_some_and(|provider| provider.may_find_credentials);
        // Not by the exchanges of the engine: a recording answers for any model.
        resolve(&name, &providers).map(drop).map_err(|error| throw_no_model(ctx, error))
    });
    match finds_key {
        true => drop(faults.read("model", place, resolved)),
        false => check_model(ctx, faults, place, model, resolved),
    }
}

/// Reads a path or `file:` URL of a prompt file.
pub(super) fn prompt_file<'js>(
    faults: &mut Faults<'_, 'js>,
    value: &Value<'js>,
    eval_file: &Path,
    place: &[PathKey],
) -> Option<PathBuf> {
    let label = if place.len() == 1 { "the export file".to_owned() } else { "the file of the variant".to_owned() };
    let file = faults.read("export", place, path_of(value.ctx(), value, Some(eval_file), &label))?;
    match check_prompt_file(shown(&file)) {
        Ok(()) => Some(file),
        Err(problem) => {
            faults.add(WRONG, place.to_vec(), problem.message, problem.hint);
            None
        }
    }
}

/// The path below the working directory, if it is there.
pub(super) fn shown(file: &Path) -> &Path {
    std::env::current_dir().ok().and_then(|directory| file.strip_prefix(directory).ok()).unwrap_or(file)
}

pub(super) fn plain_object<'a, 'js>(value: &'a Value<'js>) -> Option<&'a Object<'js>> {
    value.as_object().filter(|_| !value.is_array() && !value.is_function() && !value.is_promise())
}

/// Reports a name of a score or a variant that options and tables could not show.
pub(super) fn check_name(faults: &mut Faults<'_, '_>, place: &[PathKey], what: &str, name: &str) {
    let problem = match name {
        name if name.trim().is_empty() => format!("the name of a {what} must not be empty"),
        name if name.contains(',') => format!("the name of the {what} '{name}' has a comma"),
        name if name.chars().any(|letter| letter.is_control() || is_bidi_control(letter)) => {
            format!("the name of the {what} '{}' has a control character", escape_invisible(name))
        }
        name if name.trim() != name => format!("the name of the {what} '{name}' begins or ends with a space"),
        _ => return,
    };
    let hint = "options take names with commas between: --variants short,long and --fail-under right=0.9,polite=0.8";
    faults.add(WRONG, place.to_vec(), problem, Some(hint.to_owned()));
}
