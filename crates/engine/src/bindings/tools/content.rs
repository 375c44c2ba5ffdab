//! Tool results with media, passed from a tool through its callbacks to the model.

use rquickjs::{Class, Ctx, JsLifetime, Result, Value, class::Trace};

use crate::bindings::values::{blob::blob_parts, from_serde};
use lmthing_base::chat::{ContentPart, ToolOutput, ToolPart};

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

    /// The output of a result with media, also one that is a `File` or `Blob`, or a list of them.
    pub(super) fn output<'js>(ctx: &Ctx<'js>, value: &Value<'js>) -> Option<ToolOutput> {
        if let Ok(content) = Class::<ToolContent>::from_value(value) {
            return Some(ToolOutput::Content(content.borrow().parts.clone()));
        }
        let files = blob_parts(ctx, value).map_err(|_| ctx.catch()).ok()??;
        let part = |part| match part {
            ContentPart::Text { text, .. } => Some(ToolPart::Text { text: text.as_str().to_owned() }),
            ContentPart::File { data, media_type, .. } => Some(ToolPart::Media { data, media_type }),
            _ => None,
        };
        Some(ToolOutput::Content(files.into_iter().filter_map(part).collect()))
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
