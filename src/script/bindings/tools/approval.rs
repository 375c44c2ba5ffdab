//! `needsApproval`: whether a call may be made is asked behind a door, before anything of it happens (docs/reference.md,
//! "Approvals"). Must not know who decides.

use std::rc::Rc;

use rquickjs::{Ctx, Function, Result, Value};

use super::{label::Label, unseen};
use crate::{
    checkpoint::Verdict,
    permission::{ApprovalRequest, Decision},
    prompt::{Known, RunLimits},
    script::{
        KeepAlive,
        bindings::{
            jobs,
            prompt::entry::Callable,
            services,
            values::{call_async, message_of, to_json_text},
        },
        set_deadline,
        warn::warning,
    },
};

/// Whether a call with these arguments, which are valid, may be made; else what the model is told.
pub(crate) async fn approved<'js>(
    ctx: &Ctx<'js>,
    callable: &Callable<'js>,
    label: Label<'_>,
    input: &Value<'js>,
) -> std::result::Result<(), String> {
    let Some(needs) = &callable.options.needs_approval else { return Ok(()) };
    if let Some(function) = needs.as_function()
        && !is_needed(ctx, function, label, input).await
    {
        return Ok(());
    }
    ask(ctx, label, input).await
}

/// What the function says; one that fails leaves the decision to a person.
async fn is_needed<'js>(ctx: &Ctx<'js>, function: &Function<'js>, label: Label<'_>, input: &Value<'js>) -> bool {
    let answer = call_async(function, (input.clone(),)).await;
    let truth = answer.and_then(|answer| {
        // As `if` reads it.
        let boolean: Function = ctx.globals().get("Boolean")?;
        boolean.call::<_, bool>((answer,))
    });
    truth.unwrap_or_else(|error| {
        unseen::thrown(ctx, function, label, Some("needsApproval"), error);
        true
    })
}

async fn ask<'js>(ctx: &Ctx<'js>, label: Label<'_>, input: &Value<'js>) -> std::result::Result<(), String> {
    let args = to_json_text(ctx, input)
        .unwrap_or_else(|error| format!("(arguments that cannot be shown: {})", message_of(ctx, error)));
    let request = request(label, args);
    let decision = match jobs::known(ctx, &request.name, &request.args) {
        Known::Decided(Verdict::Approved) => Decision::Approved,
        Known::Decided(Verdict::Denied(reason)) => Decision::denied_by_user(&request.name, reason.as_deref()),
        Known::Nothing { is_other } => {
            if is_other {
                let line = format!("the call of {} was approved with other arguments than it has now", request.name);
                let _ = warning(ctx, &line);
            }
            decide(ctx, &request).await.map_err(|error| message_of(ctx, error))?
        }
    };
    match decision {
        Decision::Approved => Ok(()),
        Decision::Waits => jobs::wait_for_decision(ctx, &request.name, &request.args).await,
        Decision::Denied { message, warning: told } => {
            if let Some(line) = told {
                // The answer must not depend on whether the line could be written.
                let _ = warning(ctx, &line);
            }
            Err(message)
        }
    }
}

async fn decide(ctx: &Ctx<'_>, request: &ApprovalRequest) -> Result<Decision> {
    // Somebody thinks: the script is not stuck, and its time does not run.
    let _alive = KeepAlive::new(ctx)?;
    let approver = services::approver(ctx)?;
    let _clock = StoppedClock::new(ctx)?;
    Ok(approver.decide(request).await)
}

fn request(label: Label<'_>, args: String) -> ApprovalRequest {
    let name = label.of.map_or_else(|| label.name.to_owned(), |of| format!("{of}.{}", label.name));
    let mut other_names = Vec::new();
    if name.contains('.') {
        other_names.push(name.replace('.', "_"));
    }
    // What the model calls is the array form.
    other_names.extend(label.of.map(str::to_owned));
    ApprovalRequest { name, other_names, args, tool_call_id: label.tool_call_id.map(str::to_owned) }
}

/// The clock of the run stands still until dropped.
struct StoppedClock<'js> {
    ctx: Ctx<'js>,
    limits: Rc<dyn RunLimits>,
}

impl<'js> StoppedClock<'js> {
    fn new(ctx: &Ctx<'js>) -> Result<Self> {
        let limits = services::limits(ctx)?;
        limits.pause_clock();
        let clock = StoppedClock { ctx: ctx.clone(), limits };
        clock.tell_engine();
        Ok(clock)
    }

    /// The engine interrupts scripts by itself at the end of the time.
    fn tell_engine(&self) {
        if self.limits.may_end() {
            // There is a loop, or nothing would be running.
            let _ = set_deadline(&self.ctx, self.limits.deadline());
        }
    }
}

impl Drop for StoppedClock<'_> {
    fn drop(&mut self) {
        self.limits.resume_clock();
        self.tell_engine();
    }
}
