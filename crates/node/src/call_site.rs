//! Adds the stack of the call to asynchronous failures of native functions.

use rquickjs::{Ctx, Error, Object, Result, object::Property};

use super::{ScriptError, diagnose::locations_of_stacks};
use lmthing_base::diagnostic::Location;

pub struct CallSite<'js> {
    ctx: Ctx<'js>,
    call: Object<'js>,
}

impl<'js> CallSite<'js> {
    /// Must be called synchronously by the native function, whose name is `function`.
    pub fn here(ctx: &Ctx<'js>, function: &str) -> Result<Self> {
        let call = ScriptError::error(format!("{function}:")).into_object(ctx)?;
        Ok(CallSite { ctx: ctx.clone(), call })
    }

    /// Where the author's code makes the call.
    pub fn location(&self) -> Option<Location> {
        let stack: String = self.call.get("stack").ok()?;
        locations_of_stacks(&self.ctx, &[stack]).pop().flatten()
    }

    /// Returns `outcome`. An error in it that has no stack frames gets those of this call site.
    pub fn with_stack<T>(&self, outcome: Result<T>) -> Result<T> {
        let Err(Error::Exception) = outcome else { return outcome };
        let thrown = self.ctx.catch();
        if let Some(error) = thrown.as_object().filter(|object| object.is_error())
            && self.give_stack(error).is_err()
        {
            // An error whose properties throw is left unchanged.
            self.ctx.catch();
        }
        Err(self.ctx.throw(thrown))
    }

    fn give_stack(&self, error: &Object<'js>) -> Result<()> {
        let is_frame = |line: &&str| line.trim_start().starts_with("at ");
        let own: String = error.get("stack")?;
        let (name, message): (String, String) = (error.get("name")?, error.get("message")?);
        // A line of the message may look like a frame.
        let behind_message = own.strip_prefix(&format!("{name}: {message}")).unwrap_or(&own);
        if behind_message.lines().any(|line| is_frame(&line)) {
            return Ok(());
        }
        let call: String = self.call.get("stack")?;
        let frames: Vec<&str> = call.lines().filter(is_frame).collect();
        let stack = format!("{name}: {message}\n{}", frames.join("\n"));
        error.prop("stack", Property::from(stack).writable().configurable())
    }
}
