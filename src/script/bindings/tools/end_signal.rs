//! The signal that tools see aborted when a limit ends the run: one for the whole engine, made when a tool asks for it. Must
//! not know which limits there are.

use std::{cell::RefCell, rc::Rc};

use rquickjs::{Ctx, Function, JsLifetime, Object, Result, Value, function::This};

use crate::{
    prompt::RunError,
    script::{
        bindings::{results::throw::error_value, services},
        user_data,
    },
};

/// The `AbortController`, once there is one.
#[derive(Default, JsLifetime)]
struct EndSignal<'js>(RefCell<Option<Object<'js>>>);

/// Makes the place for it; done once an engine.
pub(crate) fn install(ctx: &Ctx<'_>) -> Result<()> {
    user_data::store(ctx, EndSignal::default())
}

/// The signal for a tool: the author's own, and that of the limits where there are any.
pub(super) fn signal<'js>(ctx: &Ctx<'js>, own: Option<Value<'js>>) -> Result<Option<Value<'js>>> {
    let limits = services::limits(ctx)?;
    if !limits.may_end() {
        // The very object, since nothing has to be added to it.
        return Ok(own);
    }
    let kept = user_data::read::<EndSignal>(ctx)?.0.borrow().clone();
    let controller = match kept {
        Some(controller) => controller,
        None => {
            let class: Function = ctx.globals().get("AbortController")?;
            let controller: Object =
                class.as_constructor().map_or_else(|| Object::new(ctx.clone()), |class| class.construct(()))?;
            user_data::read::<EndSignal>(ctx)?.0.replace(Some(controller.clone()));
            controller
        }
    };
    // A tool that is only called now hears of it all the same.
    if let Some(error) = limits.ended() {
        abort(ctx, &error)?;
    }
    let signal: Value = controller.get("signal")?;
    let Some(own) = own else { return Ok(Some(signal)) };
    let class: Object = ctx.globals().get("AbortSignal")?;
    let any: Function = class.get("any")?;
    any.call((This(class), vec![own, signal])).map(Some)
}

/// Whether a tool that waits for nothing but the signal will hear from it: the clock alone comes by itself.
pub(crate) fn will_come(ctx: &Ctx<'_>) -> Result<bool> {
    Ok(user_data::read::<EndSignal>(ctx)?.0.borrow().is_some() && services::limits(ctx)?.deadline().is_some())
}

/// Aborts the signal, if anybody has it; `error` is the reason that it gives.
pub(crate) fn abort(ctx: &Ctx<'_>, error: &Rc<RunError>) -> Result<()> {
    let kept = user_data::read::<EndSignal>(ctx)?.0.borrow().clone();
    let Some(controller) = kept else { return Ok(()) };
    let abort: Function = controller.get("abort")?;
    abort.call((This(controller), error_value(ctx, error)))
}
