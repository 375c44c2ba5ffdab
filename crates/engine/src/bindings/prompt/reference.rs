//! References, which `def*` methods return (docs/reference/prompt.md).

use std::rc::Rc;

use rquickjs::{
    Ctx, JsLifetime, Result, Value,
    atom::PredefinedAtom,
    class::{Class, Trace},
    function::Func,
};

use super::core::Core;
use crate::prompt::DefinitionKind;

/// Converts to the tag `<NAME>` in templates and concatenation.
#[derive(Trace, JsLifetime)]
#[rquickjs::class]
pub struct Reference {
    #[qjs(skip_trace)]
    core: Rc<Core>,
    #[qjs(skip_trace)]
    kind: DefinitionKind,
    name: String,
}

impl Reference {
    pub fn create<'js>(ctx: &Ctx<'js>, core: &Rc<Core>, kind: DefinitionKind, name: String) -> Result<Value<'js>> {
        Ok(Class::instance(ctx.clone(), Reference { core: core.clone(), kind, name })?.into_value())
    }

    /// Adds `Symbol.toPrimitive`, which the class macro cannot express.
    pub fn finish_prototype(ctx: &Ctx<'_>) -> Result<()> {
        if let Some(prototype) = Class::<Reference>::prototype(ctx)? {
            let tag = |this: rquickjs::function::This<Class<'_, Reference>>| this.0.borrow().tag();
            prototype.set(PredefinedAtom::SymbolToPrimitive, Func::from(tag))?;
        }
        Ok(())
    }

    fn tag(&self) -> String {
        format!("<{}>", self.current_name())
    }

    /// The web search makes way for another tool of its name.
    fn current_name(&self) -> String {
        match self.core.prompt.borrow().web_search() {
            Some(name) if self.kind == DefinitionKind::DefWebSearch => name.to_owned(),
            _ => self.name.clone(),
        }
    }
}

#[rquickjs::methods(rename_all = "camelCase")]
impl Reference {
    #[qjs(get)]
    fn value(&self) -> String {
        self.tag()
    }

    #[qjs(get)]
    fn name(&self) -> String {
        self.current_name()
    }

    /// Adds the definition to a reminder at the end of the next request, once.
    fn remind(&self) {
        let name = self.current_name();
        self.core.prompt.borrow_mut().remind(self.kind, &name);
    }

    /// Hides the definition: in the body on every step, in an effect on the step being prepared, during a step on the
    /// next.
    fn disable(&self) {
        self.core.prompt.borrow_mut().disable(self.kind, &self.name);
    }

    #[qjs(rename = "toString")]
    fn js_to_string(&self) -> String {
        self.tag()
    }

    fn value_of(&self) -> String {
        self.tag()
    }

    /// Makes a reference in data appear as its tag.
    #[qjs(rename = "toJSON")]
    fn to_json(&self) -> String {
        self.tag()
    }
}
