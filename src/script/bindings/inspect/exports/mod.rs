//! What is wrong with the exports of a prompt file, all of it: `run` stops at the first. The rules are those of `run`, which
//! reads the same values with the same readers. Must not know the render.

mod config;
mod faults;
mod judge;
mod mock;
mod model;
mod named;

use rquickjs::{Ctx, Object, Result, Value, object::Filter};

use super::fault::{Fault, NamedModel, Weight};
use faults::{Faults, path};
pub(super) use judge::judge;
pub(crate) use mock::{MockScript, calls_against};
pub(super) use named::{NamedTools, names_against};

use crate::{
    diagnostic::closest,
    script::bindings::{
        run::{answer, file, file_input},
        values::{kind_of, schema::Schema},
    },
};

/// The exports that `run` reads.
const KNOWN: [&str; 6] = ["default", "config", "mock", "input", "output", "description"];

/// What was found out about the exports of a file.
#[derive(Debug, Default)]
pub(crate) struct Exports {
    /// What is wrong with them.
    pub(crate) faults: Vec<Fault>,
    /// What the model will answer, when the file's own model is its mock.
    pub(crate) mock: MockScript,
    /// The tools that options name.
    pub(super) named: NamedTools,
    /// The models that `config` names and that there may be.
    pub(crate) models: Vec<NamedModel>,
}

/// Looks at the exports of the file called `name`.
pub(crate) fn look<'js>(ctx: &Ctx<'js>, namespace: &Object<'js>, name: &str) -> Exports {
    let mut faults = Faults::new(ctx);
    let (mut mock, mut named) = (MockScript::default(), NamedTools::default());
    let names = namespace.own_keys::<String>(Filter::new().string()).collect::<Result<Vec<_>>>();
    let names = faults.read("export", &[], names).unwrap_or_default();
    let file = File { namespace, name, names };
    file.default(ctx, &mut faults);
    let config = file.config(ctx, &mut faults);
    file.typed(ctx, &mut faults);
    file.misspelt(&mut faults);
    if let Some(config) = config {
        named = config::look(ctx, &mut faults, &config);
        file.model(ctx, &mut faults, &config);
        if file.has("mock") {
            let value = namespace.get("mock");
            if let Some(value) = faults.read("mock", &path(&["mock"]), value) {
                let script = mock::read(ctx, &mut faults, &value);
                // Another model knows nothing of it.
                if file::is_mock(&config).unwrap_or_default() {
                    mock::look_at_length(&mut faults, &value);
                    mock = script;
                }
            }
        }
    }
    Exports { faults: faults.found, mock, named, models: faults.models }
}

/// Whether the function would only fail once more, for something that was told: its input goes by another name, or the methods
/// of its plugins are missing.
pub(super) fn forbid_render(faults: &[Fault]) -> bool {
    let has_no_input = faults.iter().any(|fault| fault.hint.as_deref() == Some(&*did_you_mean("input")));
    has_no_input || is_wrong_at(faults, &["config", "plugins"])
}

fn did_you_mean(name: &str) -> String {
    format!("did you mean '{name}'?")
}

/// Whether a value, or something in it, is wrong.
fn is_wrong_at(faults: &[Fault], names: &[&str]) -> bool {
    let place = path(names);
    faults.iter().any(|fault| fault.weight == Weight::Error && fault.place.starts_with(&place))
}

struct File<'a, 'js> {
    namespace: &'a Object<'js>,
    /// What the file is called in messages.
    name: &'a str,
    /// What it exports.
    names: Vec<String>,
}

impl<'js> File<'_, 'js> {
    fn has(&self, name: &str) -> bool {
        self.names.iter().any(|known| known == name)
    }

    /// An export that nobody reads and that looks like `name`, which there is none of.
    fn similar(&self, name: &str) -> Option<&str> {
        let unread = self.names.iter().map(String::as_str).filter(|known| !KNOWN.contains(known));
        if self.has(name) { None } else { closest(name, unread) }
    }

    /// Adds to the fault of a missing export what it is called by mistake, and where that stands.
    fn explain(&self, name: &str, faults: &mut Faults<'_, 'js>) {
        if let (Some(similar), Some(fault)) = (self.similar(name), faults.found.last_mut()) {
            fault.place = path(&[similar]);
            fault.hint = Some(format!("the export '{similar}' is read by nobody; did you mean '{name}'?"));
        }
    }

    fn default(&self, ctx: &Ctx<'js>, faults: &mut Faults<'_, 'js>) {
        let place = if self.has("default") { path(&["default"]) } else { Vec::new() };
        if faults.read("export", &place, file::default_function(ctx, self.namespace, self.name)).is_some()
            || self.has("default")
        {
            return;
        }
        // A file with one function means that one.
        let mut functions = self.names.iter().filter(|name| {
            let value = self.namespace.get::<_, Value>(name.as_str());
            !KNOWN.contains(&name.as_str()) && value.is_ok_and(|value| value.is_function())
        });
        if let (Some(only), None, Some(fault)) = (functions.next(), functions.next(), faults.found.last_mut()) {
            fault.place = path(&[only]);
            fault.hint = Some(format!("write export default in front of '{only}', in place of export"));
        }
    }

    fn config(&self, ctx: &Ctx<'js>, faults: &mut Faults<'_, 'js>) -> Option<Object<'js>> {
        let place = if self.has("config") { path(&["config"]) } else { Vec::new() };
        let config = faults.read("export", &place, file::config_object(ctx, self.namespace, self.name));
        if config.is_none() && !self.has("config") {
            self.explain("config", faults);
        }
        config
    }

    /// The model; a mock that is not there is missing at the model that wants it.
    fn model(&self, ctx: &Ctx<'js>, faults: &mut Faults<'_, 'js>, config: &Object<'js>) {
        match file::is_mock(config) {
            Ok(true) if self.has("mock") => {}
            Ok(true) => {
                faults.read("mock", &path(&["config", "model"]), Err::<(), _>(file::no_mock(ctx, self.name)));
                self.explain("mock", faults);
            }
            _ => model::look(ctx, faults, self.namespace, self.name, config),
        }
    }

    /// The exports that are schemas or texts.
    fn typed(&self, ctx: &Ctx<'js>, faults: &mut Faults<'_, 'js>) {
        let (namespace, name) = (self.namespace, self.name);
        if self.has("description") {
            faults.read("export", &path(&["description"]), file_input::description(ctx, namespace, name));
        }
        if self.has("input") {
            faults.read("export", &path(&["input"]), file_input::declared(ctx, namespace, name));
        }
        if self.has("output") {
            let shape = namespace.get("output").and_then(|output: Value| {
                answer::shape(ctx, &output, &format!("the export output of {name}")).map(drop)
            });
            faults.read("export", &path(&["output"]), shape);
        }
    }

    /// Exports nobody needs, under a name that is nearly known and with a value that would fit.
    fn misspelt(&self, faults: &mut Faults<'_, 'js>) {
        for (known, weight) in [("input", Weight::Error), ("output", Weight::Error), ("description", Weight::Warning)] {
            let Some(similar) = self.similar(known) else { continue };
            let Ok(value) = self.namespace.get::<_, Value>(similar) else { continue };
            let fits = match known {
                "description" => value.is_string(),
                _ => is_schema(&value),
            };
            if fits {
                let message = format!("{} exports '{similar}', which nobody reads", self.name);
                faults.add(("export", weight), path(&[similar]), message, Some(did_you_mean(known)));
            }
        }
    }
}

/// Whether a value is a schema beyond doubt. An object is a JSON Schema for many keys, or for none at all.
fn is_schema(value: &Value<'_>) -> bool {
    let place = "the export";
    let is_object = kind_of(value) == "an object" && value.as_object().is_some_and(|object| !object.is_empty());
    is_object && Schema::from_value(value.ctx(), value, place).map_err(|_| value.ctx().catch()).is_ok()
}
