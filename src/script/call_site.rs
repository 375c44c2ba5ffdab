//! Where a native was called that fails later: by then the stack is gone, and an error made there has none. Must not know what
//! failed.

use rquickjs::{Ctx, Error, Object, Result, object::Property};

use super::ScriptError;

/// The calls that led to a native function.
pub(crate) struct CallSite<'js> {
    ctx: Ctx<'js>,
    /// An error that was made there.
    here: Object<'js>,
}

impl<'js> CallSite<'js> {
    /// To be made in the call itself; `function` is the name of what is called.
    pub(crate) fn here(ctx: &Ctx<'js>, function: &str) -> Result<Self> {
        let here = ScriptError::error(format!("{function}:")).into_object(ctx)?;
        Ok(CallSite { ctx: ctx.clone(), here })
    }

    /// `outcome`, and what was thrown in it comes from here when it comes from nowhere.
    pub(crate) fn or_here<T>(&self, outcome: Result<T>) -> Result<T> {
        let Err(Error::Exception) = outcome else { return outcome };
        let thrown = self.ctx.catch();
        if let Some(error) = thrown.as_object().filter(|object| object.is_error())
            && self.give_stack(error).is_err()
        {
            // An error whose properties throw is left as it is.
            self.ctx.catch();
        }
        Err(self.ctx.throw(thrown))
    }

    fn give_stack(&self, error: &Object<'js>) -> Result<()> {
        let is_frame = |line: &&str| line.trim_start().starts_with("at ");
        let own: String = error.get("stack")?;
        if own.lines().any(|line| is_frame(&line)) {
            return Ok(());
        }
        let here: String = self.here.get("stack")?;
        let (name, message): (String, String) = (error.get("name")?, error.get("message")?);
        let frames: Vec<&str> = here.lines().filter(is_frame).collect();
        let stack = format!("{name}: {message}\n{}", frames.join("\n"));
        error.prop("stack", Property::from(stack).writable().configurable())
    }
}
