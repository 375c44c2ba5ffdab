//! Functions of a prompt with their TypeScript declarations.

use std::{cell::OnceCell, rc::Rc};

use rquickjs::{Ctx, Result};

use crate::bindings::values::type_error;
use lmthing_typescript::code::{Declaration, Declarations};

#[derive(Default)]
pub struct DeclaredFunctions {
    pub list: Vec<Rc<Declaration>>,
    printed: OnceCell<Declarations>,
}

impl DeclaredFunctions {
    pub fn new(list: Vec<Rc<Declaration>>) -> Self {
        DeclaredFunctions { list, printed: OnceCell::new() }
    }

    pub fn declarations(&self, ctx: &Ctx<'_>) -> Result<&Declarations> {
        if let Some(printed) = self.printed.get() {
            return Ok(printed);
        }
        let list = self.list.iter().map(|declaration| &**declaration);
        let printed = Declarations::new(list).map_err(|error| type_error(ctx, error.to_string()))?;
        Ok(self.printed.get_or_init(|| printed))
    }

    pub fn text(&self, ctx: &Ctx<'_>) -> Result<&str> {
        self.declarations(ctx).map(Declarations::text)
    }

    pub fn matches(&self, list: &[Rc<Declaration>]) -> bool {
        self.list.len() == list.len() && self.list.iter().zip(list).all(|(one, other)| Rc::ptr_eq(one, other))
    }
}
