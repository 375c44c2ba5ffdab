//! Ends a run that can continue only after calls are approved (docs/reference/approvals.md).

use std::future::pending;

use super::meter::Meter;
use crate::prompt::{Decisions, Jobs, RunError, RunLimits};
use lmthing_base::{
    checkpoint::{args_value, call_label},
    event::AwaitedCall,
};

/// Ends the run when all that is left to do is to wait for approvals; never resolves.
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
