//! A list of faults, and functions that add to it.

use rquickjs::{Ctx, Object, Result, Value, object::Filter};

use super::super::{
    fault::{Fault, FaultSeverity, NamedModel, PathKey},
    thrown_fault::value_of,
};
use crate::prompt::RunError;
use lmthing_node::diagnose_error;

pub(crate) struct Faults<'a, 'js> {
    ctx: &'a Ctx<'js>,
    pub(crate) list: Vec<Fault>,
    /// As far as can be known without a request.
    pub(crate) models: Vec<NamedModel>,
}

impl<'a, 'js> Faults<'a, 'js> {
    pub(crate) fn new(ctx: &'a Ctx<'js>) -> Self {
        Faults { ctx, list: Vec::new(), models: Vec::new() }
    }

    pub(crate) fn add(
        &mut self,
        (code, severity): (&'static str, FaultSeverity),
        place: Vec<PathKey>,
        message: impl Into<String>,
        hint: Option<String>,
    ) {
        let fault = Fault::error(code, &[], message).with_severity(severity).with_hint(hint);
        self.list.push(Fault { place, ..fault });
    }

    /// The value that a reader returned. An error becomes a fault at `place`, or at a more specific place.
    pub(crate) fn read<T>(&mut self, code: &'static str, place: &[PathKey], read: Result<T>) -> Option<T> {
        match read {
            Ok(value) => Some(value),
            Err(error) => {
                let thrown = diagnose_error(self.ctx, error);
                let hint_of_model = match thrown.payload_as::<RunError>().as_deref() {
                    Some(RunError::NoModel(error)) => error.hint.clone(),
                    _ => None,
                };
                let about = value_of(&thrown);
                let place = if about.starts_with(place) { about } else { place.to_vec() };
                let diagnostic = thrown.diagnostic;
                let location = diagnostic.location;
                let fault = Fault {
                    place,
                    location,
                    severity: FaultSeverity::Error,
                    code,
                    message: diagnostic.message,
                    hint: diagnostic.hint.or(hint_of_model),
                    causes: Vec::new(),
                };
                self.list.push(fault);
                None
            }
        }
    }

    /// Reads an object key by key, so that a fault of one key does not hide others.
    pub(crate) fn read_each<T>(
        &mut self,
        code: &'static str,
        place: &[PathKey],
        object: &Object<'js>,
        reader: impl Fn(&Object<'js>) -> Result<T>,
    ) {
        for (name, value) in self.properties(code, place, object) {
            let read = single(self.ctx, &name, value).and_then(|single| reader(&single));
            self.read(code, &at_key(place, &name), read);
        }
    }

    pub(crate) fn properties(
        &mut self,
        code: &'static str,
        place: &[PathKey],
        object: &Object<'js>,
    ) -> Vec<(String, Value<'js>)> {
        let read = object.own_props::<String, Value>(Filter::new().string().enum_only()).collect::<Result<_>>();
        self.read(code, place, read).unwrap_or_default()
    }
}

fn single<'js>(ctx: &Ctx<'js>, name: &str, value: Value<'js>) -> Result<Object<'js>> {
    let single = Object::new(ctx.clone())?;
    single.set(name, value)?;
    Ok(single)
}

pub(crate) fn path(names: &[&str]) -> Vec<PathKey> {
    PathKey::path(names)
}

pub(crate) fn at_key(place: &[PathKey], name: &str) -> Vec<PathKey> {
    [place, &[PathKey::Name(name.to_owned())]].concat()
}

pub(crate) fn at_index(place: &[PathKey], index: usize) -> Vec<PathKey> {
    [place, &[PathKey::Index(index)]].concat()
}
