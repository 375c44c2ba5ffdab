//! Kinds of module loading failures.

use std::rc::Rc;

use rquickjs::{Ctx, Error};

use crate::error::carry;

/// Why a module could not be loaded. Stored as the payload of the error; errors that a module throws while it runs have
/// none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoadFailure {
    /// An import cannot be resolved, cannot be imported, or lacks the named export.
    Import,
    /// A syntax error.
    Syntax,
}

impl LoadFailure {
    /// Marks the pending exception with this kind, unless it has one already: an inner module may have failed.
    pub(super) fn mark(self, ctx: &Ctx<'_>, error: Error) -> Error {
        let Error::Exception = error else { return error };
        let thrown = ctx.catch();
        if let Some(object) = thrown.as_object()
            && carry(ctx, object, Rc::new(self)).is_err()
        {
            // An error that cannot be marked stays as it is.
            ctx.catch();
        }
        ctx.throw(thrown)
    }
}
