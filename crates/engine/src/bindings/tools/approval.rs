//! `needsApproval`: decides whether a call may run (docs/reference/approvals.md).

use std::rc::Rc;

use rquickjs::{Ctx, Function, Result, Value};

use super::{Label, warnings};
use crate::{
    bindings::{
        jobs,
        prompt::entry::Callable,
        services,
        values::{call_async, message_of, to_json_text},
    },
    prompt::{Known, RunLimits},
};
use lmthing_base::{
    checkpoint::{CallError, Verdict},
    event::EventKind,
    permission::{ApprovalRequest, Decision},
};
use lmthing_node::{KeepAlive, set_deadline, warn::warning};

/// Checks that a call may run. `input` is validated.
pub(crate) async fn approved<'js>(
    ctx: &Ctx<'js>,
    callable: &Callable<'js>,
    label: Label<'_>,
    input: &Value<'js>,
) -> std::result::Result<(), CallError> {
    let Some(needs) = &callable.options.needs_approval else { return Ok(()) };
    if let Some(function) = needs.as_function()
        && !is_needed(ctx, function, label, input).await
    {
        return Ok(());
    }
    request_approval(ctx, label, input).await
}

/// Evaluates the function. If it fails, the call needs approval.
async fn is_needed<'js>(ctx: &Ctx<'js>, function: &Function<'js>, label: Label<'_>, input: &Value<'js>) -> bool {
    let answer = call_async(function, (input.clone(),)).await;
    let truth = answer.and_then(|answer| {
        // Truthiness as in JavaScript.
        let boolean: Function = ctx.globals().get("Boolean")?;
        boolean.call::<_, bool>((answer,))
    });
    truth.unwrap_or_else(|error| {
        warnings::thrown(ctx, function, label, Some("needsApproval"), error);
        true
    })
}

async fn request_approval<'js>(
    ctx: &Ctx<'js>,
    label: Label<'_>,
    input: &Value<'js>,
) -> std::result::Result<(), CallError> {
    let args = to_json_text(ctx, input)
        .unwrap_or_else(|error| format!("(arguments that cannot be shown: {})", message_of(ctx, error)));
    let request = request(label, args);
    let decision = match jobs::known_decision(ctx, &request.name, &request.args) {
        Known::Decided(Verdict::Approved) => Decision::Approved,
        Known::Decided(Verdict::Denied(reason)) => Decision::denied_by_user(&request.name, reason.as_deref()),
        Known::Nothing { is_other } => {
            if is_other {
                let line = format!("the call of {} was approved with other arguments than it has now", request.name);
                let _ = warning(ctx, &line);
            }
            decide(ctx, &request).await.map_err(|error| CallError(message_of(ctx, error)))?
        }
    };
    // A denial with a warning was none of a person.
    if matches!(decision, Decision::Approved | Decision::Denied { warning: None, .. }) {
        let approved = decision == Decision::Approved;
        let event = EventKind::Approval { name: request.name.clone(), approved };
        services::events(ctx).map(|events| events.emit_current(&event)).ok();
    }
    match decision {
        Decision::Approved => Ok(()),
        Decision::Waits => jobs::wait_for_decision(ctx, &request.name, &request.args).await,
        Decision::Denied { message, warning: line } => {
            if let Some(line) = line {
                // Failing to print must not change the answer.
                let _ = warning(ctx, &line);
            }
            Err(CallError(message))
        }
    }
}

async fn decide(ctx: &Ctx<'_>, request: &ApprovalRequest) -> Result<Decision> {
    // A pending decision is not a stuck script, and does not count towards the time limit.
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
    // The array form, whose name the model calls.
    other_names.extend(label.of.map(str::to_owned));
    ApprovalRequest { name, other_names, args, tool_call_id: label.tool_call_id.map(str::to_owned) }
}

struct StoppedClock<'js> {
    ctx: Ctx<'js>,
    limits: Rc<dyn RunLimits>,
}

impl<'js> StoppedClock<'js> {
    fn new(ctx: &Ctx<'js>) -> Result<Self> {
        let limits = services::limits(ctx)?;
        limits.pause_clock();
        let clock = StoppedClock { ctx: ctx.clone(), limits };
        clock.update_deadline();
        Ok(clock)
    }

    fn update_deadline(&self) {
        if self.limits.may_end() {
            // Fails only without an event loop, and a script is running.
            let _ = set_deadline(&self.ctx, self.limits.deadline());
        }
    }
}

impl Drop for StoppedClock<'_> {
    fn drop(&mut self) {
        self.limits.resume_clock();
        self.update_deadline();
    }
}
