//! The end of a run that can only go on when somebody has approved calls (docs/reference.md, "Approvals"). Must not know who.

use std::future::pending;

use super::meter::Meter;
use crate::{
    checkpoint::{args_value, call_label},
    event::AwaitedCall,
    prompt::{Decisions, Jobs, RunError, RunLimits},
};

/// Ends the run when nothing is left to do in it but to wait; never resolves.
pub(super) async fn stop_when_all_wait((jobs, decisions): (&Jobs, &Decisions), meter: &Meter) {
    jobs.all_wait().await;
    let (waiters, all) = decisions.waiters();
    let calls = waiters.into_iter().map(|waiter| {
        let call = &waiter.held.call;
        AwaitedCall {
            call: call_label(call, &all),
            tool_call_id: waiter.is_tool_call.then(|| call.call.clone()),
            name: call.name.clone(),
            args: args_value(&call.args),
            agent: waiter.agent,
        }
    });
    meter.fail(RunError::Waiting { calls: calls.collect() });
    pending().await
}
