//! What a person should know of a run goes where the output of its test goes. Must not know where that is.

use std::rc::Rc;

use crate::{
    event::{Event, EventKind, Reader},
    script::ScriptHost,
};

/// Hands on what a person should know of a run.
pub(super) fn warnings(host: Rc<dyn ScriptHost>) -> Reader {
    Rc::new(move |event: &Event<'_>| match event.kind {
        EventKind::Warning { message } => host.warn(message),
        EventKind::Retry(retry) => host.warn(&retry.message),
        _ => {}
    })
}
