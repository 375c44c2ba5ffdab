//! Gathering faults: what a reader refuses, with the value that its error is about. Must not know what is read.

use rquickjs::{Ctx, Object, Result, Value, object::Filter};

use super::super::{
    fault::{Fault, Key, NamedModel, Weight},
    verdict::value_of,
};
use crate::{prompt::RunError, script::diagnose_error};

/// The faults found so far.
pub(super) struct Faults<'a, 'js> {
    ctx: &'a Ctx<'js>,
    /// In the order they were found.
    pub(super) found: Vec<Fault>,
    /// The models that can be asked, as far as can be said without asking.
    pub(super) models: Vec<NamedModel>,
}

impl<'a, 'js> Faults<'a, 'js> {
    /// None so far.
    pub(super) fn new(ctx: &'a Ctx<'js>) -> Self {
        Faults { ctx, found: Vec::new(), models: Vec::new() }
    }

    /// Adds one.
    pub(super) fn add(
        &mut self,
        (code, weight): (&'static str, Weight),
        place: Vec<Key>,
        message: impl Into<String>,
        hint: Option<String>,
    ) {
        self.found.push(Fault { place, location: None, weight, code, message: message.into(), hint });
    }

    /// What a reader made; an error of it is a fault at `place`, or deeper where it says so.
    pub(super) fn read<T>(&mut self, code: &'static str, place: &[Key], read: Result<T>) -> Option<T> {
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
                    weight: Weight::Error,
                    code,
                    message: diagnostic.message,
                    hint: diagnostic.hint.or(hint_of_model),
                };
                self.found.push(fault);
                None
            }
        }
    }

    /// Reads an object key by key, each as if it were the only one: one that is wrong hides no other.
    pub(super) fn read_each<T>(
        &mut self,
        code: &'static str,
        place: &[Key],
        object: &Object<'js>,
        reader: impl Fn(&Object<'js>) -> Result<T>,
    ) {
        for (name, value) in self.properties(code, place, object) {
            let read = single(self.ctx, &name, value).and_then(|single| reader(&single));
            self.read(code, &below(place, &name), read);
        }
    }

    /// The properties of an object that its author has written.
    pub(super) fn properties(
        &mut self,
        code: &'static str,
        place: &[Key],
        object: &Object<'js>,
    ) -> Vec<(String, Value<'js>)> {
        let read = object.own_props::<String, Value>(Filter::new().string().enum_only()).collect::<Result<_>>();
        self.read(code, place, read).unwrap_or_default()
    }
}

/// An object with one property.
fn single<'js>(ctx: &Ctx<'js>, name: &str, value: Value<'js>) -> Result<Object<'js>> {
    let single = Object::new(ctx.clone())?;
    single.set(name, value)?;
    Ok(single)
}

/// The path of keys with these names.
pub(super) fn path(names: &[&str]) -> Vec<Key> {
    Key::path(names)
}

/// `place` and a name in it.
pub(super) fn below(place: &[Key], name: &str) -> Vec<Key> {
    [place, &[Key::Name(name.to_owned())]].concat()
}

/// `place` and an index in it.
pub(super) fn at(place: &[Key], index: usize) -> Vec<Key> {
    [place, &[Key::Index(index)]].concat()
}
