//! Faults in the exports of a prompt file. Uses the same readers as `run`, which stops at the first fault.

mod config;
mod faults;
mod mock;
mod mock_arguments;
mod model;
mod named_tools;

use rquickjs::{Ctx, Object, Value};

use super::fault::{Fault, FaultSeverity, NamedModel};
pub(crate) use faults::{Faults, at_index, at_key, path};
pub(crate) use mock::{MockScript, calls_against};
pub(super) use mock_arguments::check_arguments;
pub(crate) use model::check_one as check_model;
pub(super) use named_tools::{NamedTools, names_against};

use crate::bindings::run::{
    answer, file, file_input,
    similar_exports::{is_known, is_schema, names_of_exports, similar},
};

#[derive(Debug, Default)]
pub(crate) struct Exports {
    pub faults: Vec<Fault>,
    pub mock: MockScript,
    pub(super) named: NamedTools,
    pub models: Vec<NamedModel>,
}

pub(crate) fn check<'js>(ctx: &Ctx<'js>, namespace: &Object<'js>, name: &str) -> Exports {
    let mut faults = Faults::new(ctx);
    let (mut mock, mut named) = (MockScript::default(), NamedTools::default());
    let names = faults.read("export", &[], names_of_exports(namespace)).unwrap_or_default();
    let file = File { namespace, name, names };
    file.default(ctx, &mut faults);
    let config = file.config(ctx, &mut faults);
    file.typed(ctx, &mut faults);
    file.similar_names(&mut faults);
    if let Some(config) = config {
        named = config::check(ctx, &mut faults, &config);
        file.model(ctx, &mut faults, &config);
        if file.has("mock") {
            let value = namespace.get("mock");
            if let Some(value) = faults.read("mock", &path(&["mock"]), value) {
                let script = mock::read(ctx, &mut faults, &value);
                // A file that uses another model may have a faulty `mock` without harm.
                if file::uses_mock(&config).unwrap_or_default() {
                    mock::check_length(&mut faults, &value);
                    mock = script;
                }
            }
        }
    }
    Exports { faults: faults.list, mock, named, models: faults.models }
}

/// Whether a render would only fail because of a reported fault: a misspelt `input`, or wrong plugins.
pub(super) fn prevent_render(faults: &[Fault]) -> bool {
    let has_no_input = faults.iter().any(|fault| fault.hint.as_deref() == Some(&*did_you_mean("input")));
    has_no_input || is_wrong_at(faults, &["config", "plugins"])
}

fn did_you_mean(name: &str) -> String {
    format!("did you mean '{name}'?")
}

fn is_wrong_at(faults: &[Fault], names: &[&str]) -> bool {
    let place = path(names);
    faults.iter().any(|fault| fault.severity == FaultSeverity::Error && fault.place.starts_with(&place))
}

struct File<'a, 'js> {
    namespace: &'a Object<'js>,
    name: &'a str,
    names: Vec<String>,
}

impl<'js> File<'_, 'js> {
    fn has(&self, name: &str) -> bool {
        self.names.iter().any(|known| known == name)
    }

    fn explain(&self, name: &str, faults: &mut Faults<'_, 'js>) {
        if let (Some(similar), Some(fault)) = (similar(&self.names, name), faults.list.last_mut()) {
            fault.place = path(&[similar]);
            fault.hint = Some(format!("the export '{similar}' is not used; did you mean '{name}'?"));
        }
    }

    fn default(&self, ctx: &Ctx<'js>, faults: &mut Faults<'_, 'js>) {
        let place = if self.has("default") { path(&["default"]) } else { Vec::new() };
        if faults.read("export", &place, file::default_function(ctx, self.namespace, self.name)).is_some()
            || self.has("default")
        {
            return;
        }
        // A single exported function is probably the prompt function.
        let mut functions = self.names.iter().filter(|name| {
            let value = self.namespace.get::<_, Value>(name.as_str());
            !is_known(name) && value.is_ok_and(|value| value.is_function())
        });
        if let (Some(only), None, Some(fault)) = (functions.next(), functions.next(), faults.list.last_mut()) {
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

    fn model(&self, ctx: &Ctx<'js>, faults: &mut Faults<'_, 'js>, config: &Object<'js>) {
        match file::uses_mock(config) {
            Ok(true) if self.has("mock") => {}
            Ok(true) => {
                faults.read(
                    "mock",
                    &path(&["config", "model"]),
                    Err::<(), _>(file::missing_mock_error(ctx, self.name)),
                );
                self.explain("mock", faults);
            }
            _ => model::check(ctx, faults, self.namespace, self.name, config),
        }
    }

    fn typed(&self, ctx: &Ctx<'js>, faults: &mut Faults<'_, 'js>) {
        let (namespace, name) = (self.namespace, self.name);
        if self.has("description") {
            faults.read("export", &path(&["description"]), file_input::description(ctx, namespace, name));
        }
        if self.has("input") {
            faults.read("export", &path(&["input"]), file_input::declared_input(ctx, namespace, name));
        }
        if self.has("output") {
            let shape = namespace.get("output").and_then(|output: Value| {
                answer::shape(ctx, &output, &format!("the export output of {name}")).map(drop)
            });
            faults.read("export", &path(&["output"]), shape);
        }
    }

    fn similar_names(&self, faults: &mut Faults<'_, 'js>) {
        for (known, severity) in
            [("input", FaultSeverity::Error), ("output", FaultSeverity::Error), ("description", FaultSeverity::Warning)]
        {
            let Some(similar) = similar(&self.names, known) else { continue };
            let Ok(value) = self.namespace.get::<_, Value>(similar) else { continue };
            let fits = match known {
                "description" => value.is_string(),
                _ => is_schema(&value),
            };
            if fits {
                let message = format!("{} exports '{similar}', which is not used", self.name);
                faults.add(("export", severity), path(&[similar]), message, Some(did_you_mean(known)));
            }
        }
    }
}
