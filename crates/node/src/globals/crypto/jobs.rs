//! Cryptographic jobs that run on a blocking thread.

use rquickjs::{Ctx, Exception, FromJs, Function, IntoJs, Object, Result, convert::List, prelude::Async};

use crate::event_loop::KeepAlive;

/// The error is a short text, from which JavaScript makes Node's error.
pub(super) type JobResult<T> = std::result::Result<T, &'static str>;

/// Exports `name` (blocking) and `nameAsync` (a promise); both take one array of arguments.
pub(super) fn export_job<'js, A, T>(exports: &Object<'js>, name: &str, run: fn(A) -> JobResult<T>) -> Result<()>
where
    A: Send + 'static,
    List<A>: FromJs<'js>,
    T: IntoJs<'js> + Send + 'static,
{
    let ctx = exports.ctx();
    let run_now = move |ctx: Ctx<'js>, List(arguments): List<A>| {
        run(arguments).map_err(|text| Exception::throw_message(&ctx, text))
    };
    exports.set(name, Function::new(ctx.clone(), run_now)?)?;
    let run_later = move |ctx: Ctx<'js>, List(arguments): List<A>| {
        KeepAlive::during(&ctx.clone(), async move {
            let outcome = tokio::task::spawn_blocking(move || run(arguments)).await;
            outcome.unwrap_or(Err("canceled")).map_err(|text| Exception::throw_message(&ctx, text))
        })
    };
    exports.set(format!("{name}Async"), Function::new(ctx.clone(), Async(run_later))?)
}
