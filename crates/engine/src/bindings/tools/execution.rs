//! The second argument of a tool's `execute`: `{toolCallId, messages, abortSignal}` (docs/reference/tools.md).

use rquickjs::{Array, Class, Ctx, JsLifetime, Object, Result, Value, class::Trace};

use super::end_signal;
use crate::bindings::{
    prompt::object::PromptObject,
    values::{
        messages::{MessageShape, message_to_js},
        property,
    },
};
use lmthing_base::{
    chat::{PromptMessages, Role},
    event::EventKind,
};

/// Properties are created on first access: few tools read the messages, and a conversation may be long.
#[derive(Trace, JsLifetime)]
#[rquickjs::class]
pub struct ToolExecution<'js> {
    tool_call_id: String,
    #[qjs(skip_trace)]
    messages: PromptMessages,
    prompt: PromptObject<'js>,
    cached: Object<'js>,
}

pub(crate) fn create<'js>(
    ctx: &Ctx<'js>,
    prompt: &PromptObject<'js>,
    tool_call_id: &str,
    messages: &PromptMessages,
) -> Result<Value<'js>> {
    let execution = ToolExecution {
        tool_call_id: tool_call_id.to_owned(),
        messages: messages.clone(),
        prompt: prompt.clone(),
        cached: Object::new(ctx.clone())?,
    };
    Ok(Class::instance(ctx.clone(), execution)?.into_value())
}

impl<'js> ToolExecution<'js> {
    pub fn prompt(&self) -> PromptObject<'js> {
        self.prompt.clone()
    }

    pub fn progress_event(&self, text: String) -> EventKind {
        EventKind::ToolProgress { tool_call_id: self.tool_call_id.clone(), text }
    }
}

#[rquickjs::methods(rename_all = "camelCase")]
impl<'js> ToolExecution<'js> {
    #[qjs(get)]
    fn tool_call_id(&self) -> String {
        self.tool_call_id.clone()
    }

    #[qjs(get)]
    fn messages(&self, ctx: Ctx<'js>) -> Result<Value<'js>> {
        if let Some(cached) = property(&self.cached, "messages")? {
            return Ok(cached);
        }
        let list = Array::new(ctx.clone())?;
        let messages = self.messages.to_vec();
        for (index, message) in messages.iter().filter(|message| message.role != Role::System).enumerate() {
            list.set(index, message_to_js(&ctx, message, MessageShape::Written)?)?;
        }
        self.cached.set("messages", list.clone())?;
        Ok(list.into_value())
    }

    /// Aborted with `options.abortSignal`, and when a limit ends the run; `undefined` without both.
    #[qjs(get)]
    fn abort_signal(&self, ctx: Ctx<'js>) -> Result<Value<'js>> {
        if let Some(cached) = property(&self.cached, "abortSignal")? {
            return Ok(cached);
        }
        let options = self.prompt.borrow().bag.options();
        let own = options.map(|options| property(&options, "abortSignal")).transpose()?.flatten();
        let Some(signal) = end_signal::signal(&ctx, own)? else { return Ok(Value::new_undefined(ctx)) };
        self.cached.set("abortSignal", signal.clone())?;
        Ok(signal)
    }
}
