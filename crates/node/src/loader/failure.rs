//! Which kind of failure ended the loading of a module, for whoever has to tell them apart. Must not know what is said of them.

use std::rc::Rc;

use rquickjs::{Ctx, Error};

use crate::error::carry;

/// Why a module could not be loaded. Its error carries it as a payload; what a module throws when it runs has none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoadFailure {
    /// An import leads nowhere, to what cannot be imported, or to a module without the export that it names.
    Import,
    /// The text of a module is no JavaScript or TypeScript.
    Syntax,
}

impl LoadFailure {
    /// Says of an error that is being thrown that it is this one, unless that is known: an inner module may have failed.
    pub(super) fn mark(self, ctx: &Ctx<'_>, error: Error) -> Error {
        let Error::Exception = error else { return error };
        let thrown = ctx.catch();
        if let Some(object) = thrown.as_object()
            && carry(ctx, object, Rc::new(self)).is_err()
        {
            // An error that cannot be marked is as good as it was.
            ctx.catch();
        }
        ctx.throw(thrown)
    }
}
