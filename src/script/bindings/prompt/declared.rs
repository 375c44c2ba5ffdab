//! Functions of a prompt with their declarations in TypeScript, which are printed once as long as they are the same. Must not know
//! who reads them.

use std::{cell::OnceCell, rc::Rc};

use rquickjs::{Ctx, Result};

use crate::{
    code::{Declaration, Declarations},
    script::bindings::values::type_error,
};

/// Functions with their declarations, printed when somebody asks.
#[derive(Default)]
pub(crate) struct Declared {
    /// Each of them, in order.
    pub(crate) list: Vec<Rc<Declaration>>,
    printed: OnceCell<Declarations>,
}

impl Declared {
    /// Not printed yet.
    pub(crate) fn new(list: Vec<Rc<Declaration>>) -> Self {
        Declared { list, printed: OnceCell::new() }
    }

    /// The declarations.
    pub(crate) fn declarations(&self, ctx: &Ctx<'_>) -> Result<&Declarations> {
        if let Some(printed) = self.printed.get() {
            return Ok(printed);
        }
        let list = self.list.iter().map(|declaration| &**declaration);
        let printed = Declarations::new(list).map_err(|error| type_error(ctx, error.to_string()))?;
        Ok(self.printed.get_or_init(|| printed))
    }

    /// Their text.
    pub(crate) fn text(&self, ctx: &Ctx<'_>) -> Result<&str> {
        self.declarations(ctx).map(Declarations::text)
    }

    /// Whether it is of these very declarations.
    pub(crate) fn is_of(&self, list: &[Rc<Declaration>]) -> bool {
        self.list.len() == list.len() && self.list.iter().zip(list).all(|(one, other)| Rc::ptr_eq(one, other))
    }
}
