//! The abort signal that tools receive when a limit or a signal to the process ends the run. One for the whole engine,
//! created on first use.

use std::{cell::RefCell, rc::Rc};

use rquickjs::{Ctx, Function, JsLifetime, Object, Result, Value, function::This};

use crate::{
    bindings::{results::throw::error_value, services},
    prompt::RunError,
};
use lmthing_node::user_data;

#[derive(Default, JsLifetime)]
struct EndSignal<'js>(RefCell<Option<Object<'js>>>);

pub(crate) fn install(ctx: &Ctx<'_>) -> Result<()> {
    user_data::store(ctx, EndSignal::default())
}

/// The author's own signal, combined with that of the limits.
pub(super) fn signal<'js>(ctx: &Ctx<'js>, own: Option<Value<'js>>) -> Result<Option<Value<'js>>> {
    let limits = services::limits(ctx)?;
    let has_signal = limits.may_end() || (own.is_none() && limits.may_be_interrupted());
    if !has_signal {
        // The author's own signal is passed on as the identical object.
        return Ok(own);
    }
    let existing = user_data::read::<EndSignal>(ctx)?.0.borrow().clone();
    let controller = match existing {
        Some(controller) => controller,
        None => {
            let class: Function = ctx.globals().get("AbortController")?;
            let controller: Object =
                class.as_constructor().map_or_else(|| Object::new(ctx.clone()), |class| class.construct(()))?;
            user_data::read::<EndSignal>(ctx)?.0.replace(Some(controller.clone()));
            controller
        }
    };
    // Also aborts the signal of a tool that is called after the end.
    if let Some(error) = limits.ended() {
        abort(ctx, &error)?;
    }
    let signal: Value = controller.get("signal")?;
    let Some(own) = own else { return Ok(Some(signal)) };
    let class: Object = ctx.globals().get("AbortSignal")?;
    let any: Function = class.get("any")?;
    any.call((This(class), vec![own, signal])).map(Some)
}

/// Whether a deadline will abort the signal, so that a tool that waits for it is not stuck.
pub(crate) fn will_fire(ctx: &Ctx<'_>) -> Result<bool> {
    Ok(user_data::read::<EndSignal>(ctx)?.0.borrow().is_some() && services::limits(ctx)?.deadline().is_some())
}

/// Aborts the signal of the calls that are under way; later calls get another one.
pub(crate) fn interrupt(ctx: &Ctx<'_>) -> Result<()> {
    abort(ctx, &Rc::new(RunError::Aborted))?;
    user_data::read::<EndSignal>(ctx)?.0.replace(None);
    Ok(())
}

pub(crate) fn abort(ctx: &Ctx<'_>, error: &Rc<RunError>) -> Result<()> {
    let existing = user_data::read::<EndSignal>(ctx)?.0.borrow().clone();
    let Some(controller) = existing else { return Ok(()) };
    let abort: Function = controller.get("abort")?;
    abort.call((This(controller), error_value(ctx, error)))
}
