//! The clock and the random numbers of a render, which differ between renders that are compared.

use rquickjs::{Ctx, Function, Object, Result};

use lmthing_node::import_builtin;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    First,
    /// Some minutes from `First`, in the same hour and on the same day, with other random numbers.
    Minutes,
    /// Some months after `First`, at another hour and on another day of the week, with other random numbers.
    Months,
}

impl Clock {
    fn name(self) -> &'static str {
        match self {
            Clock::First => "first",
            Clock::Minutes => "minutes",
            Clock::Months => "months",
        }
    }

    pub(super) fn set(self, ctx: &Ctx<'_>) -> Result<()> {
        function(ctx, "setClock")?.call((self.name(),))
    }
}

/// Begins the random numbers again. Renders that have drawn equally many from then on can be compared.
pub(super) fn restart_random(ctx: &Ctx<'_>) -> Result<()> {
    function(ctx, "restartRandom")?.call(())
}

fn function<'js>(ctx: &Ctx<'js>, name: &str) -> Result<Function<'js>> {
    let module: Object = import_builtin(ctx, "lmthing:internal/steady-clock")?;
    module.get(name)
}
