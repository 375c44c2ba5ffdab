//! Reads the export `variants` of an eval file.

use std::path::Path;

use rquickjs::{Object, Value};
use serde_json::{Map, Value as Json};

use super::{
    outcome::Variant,
    readers::{WRONG, check_model_string, check_name, plain_object, prompt_file, shown},
};
use crate::bindings::{
    inspect::{
        PathKey,
        exports::{Faults, at_key, path},
    },
    prompt::{config_keys, options},
    run::limits::to_plain_json,
    values::{blob::input_json, kind_of, to_json},
};
use lmthing_base::cost::{InvalidLimit, Limits};
use lmthing_node::warn::suggestion;

const KEYS: [&str; 5] = ["file", "model", "options", "input", "limits"];
const EXAMPLE: &str =
    "export const variants = { short: { file: './short.lmt.mjs' }, cold: { options: { temperature: 0 } } };";

/// The variant of an eval file that exports none.
pub(super) fn only(file: &Path) -> Variant {
    empty("default", file)
}

fn empty(name: &str, file: &Path) -> Variant {
    let (options, input, limits) = (Map::new(), Map::new(), Map::new());
    let (name, shown_file) = (name.to_owned(), shown(file).display().to_string());
    Variant { name, file: file.to_owned(), shown_file, model: None, options, input, limits }
}

/// Returns also whether a variant needs the prompt file of the eval file and there is none.
pub(super) fn read<'js>(
    faults: &mut Faults<'_, 'js>,
    value: &Value<'js>,
    eval_file: &Path,
    prompt: Option<&Path>,
) -> (Vec<Variant>, bool) {
    let place = path(&["variants"]);
    let Some(object) = plain_object(value) else {
        let message = format!("the export variants must be an object of variants, got {}", kind_of(value));
        faults.add(WRONG, place, message, Some(EXAMPLE.to_owned()));
        return (Vec::new(), false);
    };
    let properties = faults.properties("export", &place, object);
    if properties.is_empty() {
        faults.add(WRONG, place, "the export variants has no variant", Some(EXAMPLE.to_owned()));
        return (Vec::new(), false);
    }
    let mut lacks_file = false;
    let mut variants = Vec::new();
    for (name, value) in properties {
        let place = at_key(&place, &name);
        check_name(faults, &place, "variant", &name);
        let Some(object) = plain_object(&value) else {
            let message = format!("the variant '{name}' must be an object, got {}", kind_of(&value));
            faults.add(WRONG, place, message, Some(format!("known are {}", KEYS.join(", "))));
            continue;
        };
        let mut reader = VariantReader { faults, name: &name, place: &place, eval_file };
        let (variant, has_file) = reader.variant(object, prompt);
        lacks_file |= !has_file && prompt.is_none();
        variants.push(variant);
    }
    (variants, lacks_file)
}

struct VariantReader<'a, 'f, 'js> {
    faults: &'a mut Faults<'f, 'js>,
    name: &'a str,
    place: &'a [PathKey],
    eval_file: &'a Path,
}

impl<'js> VariantReader<'_, '_, 'js> {
    /// The variant, and whether it names a prompt file.
    fn variant(&mut self, object: &Object<'js>, prompt: Option<&Path>) -> (Variant, bool) {
        let mut variant = empty(self.name, prompt.unwrap_or(Path::new("")));
        let mut has_file = false;
        for (key, value) in self.faults.properties("export", self.place, object) {
            let place = at_key(self.place, &key);
            if !KEYS.contains(&key.as_str()) {
                let message = format!("the variant '{}' has '{key}', which no variant has", self.name);
                self.faults.add(WRONG, place, message, Some(suggestion(&key, &KEYS)));
                continue;
            }
            if value.is_undefined() {
                continue;
            }
            match key.as_str() {
                "file" => {
                    has_file = true;
                    if let Some(file) = prompt_file(self.faults, &value, self.eval_file, &place) {
                        variant.shown_file = shown(&file).display().to_string();
                        variant.file = file;
                    }
                }
                "model" => variant.model = self.model(&place, &value),
                "options" => variant.options = self.options(&place, &value),
                "limits" => variant.limits = self.limits(&place, &value),
                _ => variant.input = self.data(&place, "input", &value).unwrap_or_default(),
            }
        }
        (variant, has_file)
    }

    fn model(&mut self, place: &[PathKey], value: &Value<'js>) -> Option<String> {
        let Some(name) = value.as_string().and_then(|name| name.to_string().ok()) else {
            let message = format!("the model of the variant '{}' must be a string, got {}", self.name, kind_of(value));
            let hint = "a model object stands in config.model of a prompt file, which a variant may name as its file";
            self.faults.add(WRONG, place.to_vec(), message, Some(hint.to_owned()));
            return None;
        };
        if name != "mock" {
            check_model_string(self.faults, place, value);
        }
        Some(name)
    }

    /// An object of data. Functions are refused, as it is given to other engines.
    fn data(&mut self, place: &[PathKey], what: &str, value: &Value<'js>) -> Option<Map<String, Json>> {
        let Some(object) = plain_object(value) else {
            let message =
                format!("the {what} of the variant '{}' must be an object, got {}", self.name, kind_of(value));
            self.faults.add(WRONG, place.to_vec(), message, None);
            return None;
        };
        for (key, value) in self.faults.properties("export", place, object) {
            if value.is_function() {
                let message = format!("the {what} of the variant '{}' must be data: {key} is a function", self.name);
                let hint = "write the function into a prompt file, and name that as the file of the variant".to_owned();
                self.faults.add(WRONG, at_key(place, &key), message, Some(hint));
            }
        }
        match self.faults.read("export", place, input_json(value.ctx(), value))? {
            Json::Object(data) => Some(data),
            _ => None,
        }
    }

    fn options(&mut self, place: &[PathKey], value: &Value<'js>) -> Map<String, Json> {
        if self.data(place, "options", value).is_none() {
            return Map::new();
        }
        // With the usual names of options that have several.
        let given = self.faults.read("export", place, options::object(value.ctx(), value)).flatten();
        let Some(given) = given else { return Map::new() };
        for key in self.faults.read("export", place, options::unknown(&given)).unwrap_or_default() {
            let message = format!("the options of the variant '{}' have no '{key}'", self.name);
            self.faults.add(WRONG, at_key(place, &key), message, Some(config_keys::advice_for_option(&key)));
        }
        self.faults.read_each("export", place, &given, |single| options::read(value.ctx(), single));
        let data = self.faults.read("export", place, to_json(value.ctx(), given.as_value()));
        data.and_then(|data| data.as_object().cloned()).unwrap_or_default()
    }

    fn limits(&mut self, place: &[PathKey], value: &Value<'js>) -> Map<String, Json> {
        if self.data(place, "limits", value).is_none() {
            return Map::new();
        }
        let Some(given) = self.faults.read("export", place, to_plain_json(value.ctx(), value)) else {
            return Map::new();
        };
        match Limits::from_json(&given) {
            Ok(_) => {}
            Err(InvalidLimit::Key { place: key, advice }) => {
                let message = format!("{key} of the variant '{}' is not known", self.name);
                self.faults.add(WRONG, place.to_vec(), message, Some(advice));
            }
            Err(error) => self.faults.add(WRONG, place.to_vec(), error.to_string(), None),
        }
        given.as_object().cloned().unwrap_or_default()
    }
}
