//! Running the body of a prompt: the prompt function itself. Must not know which run of it this is.

use rquickjs::{Function, Result, Value};

use crate::script::bindings::{prompt::object::PromptObject, values::apply_async};

/// Calls a prompt function with its prompt, and its input if it has one, and awaits it, effects being counted from the first; throws what it throws.
pub(crate) async fn run_body<'js>(prompt: &PromptObject<'js>, function: &Function<'js>) -> Result<()> {
    prompt.borrow().core.next_effect.set(0);
    let this = Value::new_undefined(prompt.ctx().clone());
    let input = prompt.borrow().bag.input();
    let arguments = [prompt.as_value().clone()].into_iter().chain(input).collect();
    apply_async(function, this, arguments).await.map(drop)
}
