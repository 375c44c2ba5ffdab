//! The second argument of a tool's `execute`: `{toolCallId, messages, abortSignal}` (docs/reference.md, "Tools"). Must
//! not know the tool.

use rquickjs::{Array, Class, Ctx, JsLifetime, Object, Result, Value, class::Trace};

use super::end_signal;
use crate::{
    chat::{PromptMessages, Role},
    event::EventKind,
    script::bindings::{
        prompt::object::PromptObject,
        values::{
            messages::{Shape, message_to_js},
            property,
        },
    },
};

/// What a tool may know of its call. The messages are made when a tool looks at them: hardly any does, and a
/// conversation may be long.
#[derive(Trace, JsLifetime)]
#[rquickjs::class]
pub(crate) struct ToolExecution<'js> {
    tool_call_id: String,
    #[qjs(skip_trace)]
    messages: PromptMessages,
    prompt: PromptObject<'js>,
    made: Object<'js>,
}

/// The argument for one call.
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
        made: Object::new(ctx.clone())?,
    };
    Ok(Class::instance(ctx.clone(), execution)?.into_value())
}

impl<'js> ToolExecution<'js> {
    /// The prompt whose tool it is.
    pub(crate) fn prompt(&self) -> PromptObject<'js> {
        self.prompt.clone()
    }

    /// That the call has come so far.
    pub(crate) fn progress(&self, text: String) -> EventKind {
        EventKind::ToolProgress { tool_call_id: self.tool_call_id.clone(), text }
    }
}

#[rquickjs::methods(rename_all = "camelCase")]
impl<'js> ToolExecution<'js> {
    /// The id the model gave the call.
    #[qjs(get)]
    fn tool_call_id(&self) -> String {
        self.tool_call_id.clone()
    }

    /// The messages of the step's request, without the system prompt.
    #[qjs(get)]
    fn messages(&self, ctx: Ctx<'js>) -> Result<Value<'js>> {
        if let Some(made) = property(&self.made, "messages")? {
            return Ok(made);
        }
        let list = Array::new(ctx.clone())?;
        let messages = self.messages.to_vec();
        for (index, message) in messages.iter().filter(|message| message.role != Role::System).enumerate() {
            list.set(index, message_to_js(&ctx, message, Shape::Written)?)?;
        }
        self.made.set("messages", list.clone())?;
        Ok(list.into_value())
    }

    /// Aborted when `options.abortSignal` is, and when a limit ends the run; `undefined` when there is neither.
    #[qjs(get)]
    fn abort_signal(&self, ctx: Ctx<'js>) -> Result<Value<'js>> {
        if let Some(made) = property(&self.made, "abortSignal")? {
            return Ok(made);
        }
        let options = self.prompt.borrow().bag.options();
        let own = options.map(|options| property(&options, "abortSignal")).transpose()?.flatten();
        let Some(signal) = end_signal::signal(&ctx, own)? else { return Ok(Value::new_undefined(ctx)) };
        self.made.set("abortSignal", signal.clone())?;
        Ok(signal)
    }
}
