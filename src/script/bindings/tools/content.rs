//! A result that is more than text or data, on its way from a tool through its callbacks to the model. Must not know which tool
//! gave it.

use rquickjs::{Class, Ctx, JsLifetime, Result, Value, class::Trace};

use crate::{
    chat::{ToolOutput, ToolPart},
    script::bindings::values::from_serde,
};

/// Parts of a result, as scripts and code see them: `{content: [{type: 'text', text} | {type: 'media', data, mediaType}]}`.
#[derive(Trace, JsLifetime)]
#[rquickjs::class]
pub(crate) struct ToolContent {
    #[qjs(skip_trace)]
    parts: Vec<ToolPart>,
}

impl ToolContent {
    /// The parts as a JavaScript value.
    pub(crate) fn create<'js>(ctx: &Ctx<'js>, parts: Vec<ToolPart>) -> Result<Value<'js>> {
        Ok(Class::instance(ctx.clone(), ToolContent { parts })?.into_value())
    }

    /// What the model is sent of such a value; none of another.
    pub(super) fn output(value: &Value<'_>) -> Option<ToolOutput> {
        let content = Class::<ToolContent>::from_value(value).ok()?;
        let parts = content.borrow().parts.clone();
        Some(ToolOutput::Content(parts))
    }
}

#[rquickjs::methods(rename_all = "camelCase")]
impl ToolContent {
    /// The parts, in order.
    #[qjs(get)]
    fn content<'js>(&self, ctx: Ctx<'js>) -> Result<Value<'js>> {
        from_serde(&ctx, &self.parts)
    }

    /// The same as data, for code that the model wrote.
    #[qjs(rename = "toJSON")]
    fn to_json<'js>(&self, ctx: Ctx<'js>) -> Result<Value<'js>> {
        from_serde(&ctx, &serde_json::json!({ "content": self.parts }))
    }
}
