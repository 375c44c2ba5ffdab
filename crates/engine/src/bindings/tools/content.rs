//! Tool results with media, passed from a tool through its callbacks to the model.

use rquickjs::{Class, Ctx, JsLifetime, Result, Value, class::Trace};

use crate::bindings::values::from_serde;
use lmthing_base::chat::{ToolOutput, ToolPart};

/// `{content: [{type: 'text', text} | {type: 'media', data, mediaType}]}`.
#[derive(Trace, JsLifetime)]
#[rquickjs::class]
pub struct ToolContent {
    #[qjs(skip_trace)]
    parts: Vec<ToolPart>,
}

impl ToolContent {
    pub fn create<'js>(ctx: &Ctx<'js>, parts: Vec<ToolPart>) -> Result<Value<'js>> {
        Ok(Class::instance(ctx.clone(), ToolContent { parts })?.into_value())
    }

    pub(super) fn output(value: &Value<'_>) -> Option<ToolOutput> {
        let content = Class::<ToolContent>::from_value(value).ok()?;
        let parts = content.borrow().parts.clone();
        Some(ToolOutput::Content(parts))
    }
}

#[rquickjs::methods(rename_all = "camelCase")]
impl ToolContent {
    #[qjs(get)]
    fn content<'js>(&self, ctx: Ctx<'js>) -> Result<Value<'js>> {
        from_serde(&ctx, &self.parts)
    }

    #[qjs(rename = "toJSON")]
    fn to_json<'js>(&self, ctx: Ctx<'js>) -> Result<Value<'js>> {
        from_serde(&ctx, &serde_json::json!({ "content": self.parts }))
    }
}
