//! Reads and checks the exports of an eval file.

use std::path::Path;

use rquickjs::{Function, Object, Result, Value, object::Filter};

use super::{
    outcome::Variant,
    readers::{WRONG, check_model_string, check_name, plain_object, prompt_file},
    rows::{self, RowsExport},
    scoring::NamedScore,
    variants,
};
use crate::bindings::{
    inspect::{
        PathKey,
        exports::{Faults, at_key, path},
    },
    values::{elements, kind_of},
};
use lmthing_base::diagnostic::closest;
use lmthing_node::warn::suggestion;

const KNOWN: [&str; 4] = ["file", "rows", "scores", "variants"];

/// The exports as far as they are right.
pub(super) struct Exports<'js> {
    pub(super) rows: Option<RowsExport<'js>>,
    pub(super) variants: Vec<Variant>,
    pub(super) scores: Vec<NamedScore<'js>>,
}

/// Reads the exports of the eval file at `file`. Models without a key are faults that do not prevent the use of the file.
pub(super) fn read<'js>(faults: &mut Faults<'_, 'js>, namespace: &Object<'js>, file: &Path) -> Exports<'js> {
    let names = namespace.own_keys::<String>(Filter::new().string()).collect::<Result<Vec<_>>>();
    let names = faults.read("export", &[], names).unwrap_or_default();
    let reader = Reader { namespace, file, names };
    reader.unknown(faults);
    let prompt = reader.value("file", faults).and_then(|value| prompt_file(faults, &value, file, &path(&["file"])));
    let variants = reader.variants(faults, prompt.as_deref());
    let rows = match reader.value("rows", faults) {
        Some(value) => rows::read(faults, &value, file),
        None => {
            reader.missing(faults, "rows", "what is asked about", "export const rows = 'cities.csv';");
            None
        }
    };
    let scores = reader.scores(faults);
    Exports { rows, variants, scores }
}

struct Reader<'a, 'js> {
    namespace: &'a Object<'js>,
    file: &'a Path,
    names: Vec<String>,
}

impl<'js> Reader<'_, 'js> {
    fn has(&self, name: &str) -> bool {
        self.names.iter().any(|known| known == name)
    }

    fn value(&self, name: &str, faults: &mut Faults<'_, 'js>) -> Option<Value<'js>> {
        if self.has(name) { faults.read("export", &path(&[name]), self.namespace.get(name)) } else { None }
    }

    fn unknown(&self, faults: &mut Faults<'_, 'js>) {
        for name in self.names.iter().filter(|name| !KNOWN.contains(&name.as_str())) {
            let (message, hint) = match name.as_str() {
                "default" => {
                    let message = "an eval file has no default export".to_owned();
                    (message, "the prompt is in the file that it names: export const file = './cities.lmt.mjs';".into())
                }
                name => (format!("an eval file has no export '{name}'"), suggestion(name, &KNOWN)),
            };
            faults.add(WRONG, path(&[name]), message, Some(hint));
        }
    }

    /// Reports a missing export, unless a misspelt one was reported in its place.
    fn missing(&self, faults: &mut Faults<'_, 'js>, name: &str, meaning: &str, example: &str) {
        let unread = self.names.iter().map(String::as_str).filter(|known| !KNOWN.contains(known));
        if !self.has(name) && closest(name, unread).is_none() {
            let file = self.file.file_name().unwrap_or_default().to_string_lossy();
            faults.add(
                WRONG,
                Vec::new(),
                format!("{file} does not export {name}, {meaning}"),
                Some(example.to_owned()),
            );
        }
    }

    fn variants(&self, faults: &mut Faults<'_, 'js>, prompt: Option<&Path>) -> Vec<Variant> {
        let value = self.value("variants", faults);
        let (variants, lacks_file) = match value {
            Some(value) => variants::read(faults, &value, self.file, prompt),
            None => (prompt.map(variants::only).into_iter().collect(), !self.has("file")),
        };
        if lacks_file {
            self.missing(faults, "file", "the prompt file that is tried", "export const file = './cities.lmt.mjs';");
        }
        variants
    }

    fn scores(&self, faults: &mut Faults<'_, 'js>) -> Vec<NamedScore<'js>> {
        const EXAMPLE: &str = "export const scores = { right: ({ text, row }) => text === row.expected };";
        let place = path(&["scores"]);
        let Some(value) = self.value("scores", faults) else {
            self.missing(faults, "scores", "how answers are judged", EXAMPLE);
            return Vec::new();
        };
        let Some(object) = plain_object(&value) else {
            let message = format!("the export scores must be an object of functions, got {}", kind_of(&value));
            faults.add(WRONG, place, message, Some(EXAMPLE.to_owned()));
            return Vec::new();
        };
        let properties = faults.properties("export", &place, object);
        if properties.is_empty() {
            faults.add(WRONG, place.clone(), "the export scores has no score", Some(EXAMPLE.to_owned()));
        }
        let mut scores = Vec::new();
        for (name, score) in properties {
            let place = at_key(&place, &name);
            check_name(faults, &place, "score", &name);
            match score.as_function() {
                Some(function) => {
                    check_judge(faults, &place, function);
                    scores.push(NamedScore { name, function: function.clone() });
                }
                None => {
                    let message = format!("the score '{name}' must be a function or a judge, got {}", kind_of(&score));
                    let hint = "({ output, text, row, run }) => true or false, or a number from 0 to 1".to_owned();
                    faults.add(WRONG, place, message, Some(hint));
                }
            }
        }
        scores
    }
}

/// The model of a score that `judge` has made.
pub(super) fn judge_model<'js>(score: &Function<'js>) -> Result<Option<Value<'js>>> {
    let symbol: Function = score.ctx().globals().get::<_, Object>("Symbol")?.get("for")?;
    let value: Value = score.get(symbol.call::<_, Value>(("lmthing.judge",))?)?;
    Ok(Some(value).filter(|value| !value.is_undefined()))
}

fn check_judge<'js>(faults: &mut Faults<'_, 'js>, place: &[PathKey], score: &Function<'js>) {
    let model = faults.read("export", place, judge_model(score)).flatten();
    let Some(model) = model else { return };
    let models = match model.as_array() {
        Some(list) => faults.read("export", place, elements(list)).unwrap_or_default(),
        None => vec![model],
    };
    for model in models {
        check_model_string(faults, place, &model);
    }
}
