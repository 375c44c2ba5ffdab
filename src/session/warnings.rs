//! What a person should know of a run goes where its warnings go. Must not know where that is.

use std::rc::Rc;

use crate::{
    event::{Event, EventKind, EventReader},
    script::ScriptHost,
};

/// Hands on what a person should know of a run.
pub(crate) fn warnings(host: Rc<dyn ScriptHost>) -> EventReader {
    Rc::new(move |event: &Event<'_>| match event.kind {
        EventKind::Warning { message } => host.warn(message),
        EventKind::Retry(retry) => host.warn(&retry.message),
        _ => {}
    })
}
