//! What `def*` methods return: a stand-in for the definition in templates (docs/reference.md, "References").

use std::rc::Rc;

use rquickjs::{
    Ctx, JsLifetime, Result, Value,
    atom::PredefinedAtom,
    class::{Class, Trace},
    function::Func,
};

use super::core::Core;
use crate::prompt::DefinitionKind;

/// A reference to a definition: a string (`<NAME>`) in templates and concatenation, with `value` (the tag),
/// `name`, `remind()` and `disable()`.
#[derive(Trace, JsLifetime)]
#[rquickjs::class]
pub(crate) struct Reference {
    #[qjs(skip_trace)]
    core: Rc<Core>,
    #[qjs(skip_trace)]
    kind: DefinitionKind,
    name: String,
}

impl Reference {
    /// A reference as a JavaScript value.
    pub(crate) fn create<'js>(
        ctx: &Ctx<'js>,
        core: &Rc<Core>,
        kind: DefinitionKind,
        name: String,
    ) -> Result<Value<'js>> {
        Ok(Class::instance(ctx.clone(), Reference { core: core.clone(), kind, name })?.into_value())
    }

    /// Adds what the class macro cannot express: conversion hints for templates and `+`.
    pub(crate) fn finish_prototype(ctx: &Ctx<'_>) -> Result<()> {
        if let Some(prototype) = Class::<Reference>::prototype(ctx)? {
            let tag = |this: rquickjs::function::This<Class<'_, Reference>>| this.0.borrow().tag();
            prototype.set(PredefinedAtom::SymbolToPrimitive, Func::from(tag))?;
        }
        Ok(())
    }

    fn tag(&self) -> String {
        format!("<{}>", self.name)
    }
}

#[rquickjs::methods(rename_all = "camelCase")]
impl Reference {
    /// The tag, `<NAME>`.
    #[qjs(get)]
    fn value(&self) -> String {
        self.tag()
    }

    /// The bare name.
    #[qjs(get)]
    fn name(&self) -> String {
        self.name.clone()
    }

    /// Names the definition in a reminder at the end of the next request, once.
    fn remind(&self) {
        self.core.prompt.borrow_mut().remind(self.kind, &self.name);
    }

    /// Hides the definition: in the body on every step, in an effect on the step being prepared, during a step on the
    /// next.
    fn disable(&self) {
        self.core.prompt.borrow_mut().disable(self.kind, &self.name);
    }

    /// The tag, for `String(reference)`.
    #[qjs(rename = "toString")]
    fn js_to_string(&self) -> String {
        self.tag()
    }

    /// The tag, for whoever asks for the primitive by name.
    fn value_of(&self) -> String {
        self.tag()
    }

    /// The tag, so that a reference within data stands for its definition there too.
    #[qjs(rename = "toJSON")]
    fn to_json(&self) -> String {
        self.tag()
    }
}
