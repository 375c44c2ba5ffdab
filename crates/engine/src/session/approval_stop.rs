//! Ends a run that can continue only after calls are approved (docs/reference/approvals.md).

use std::future::pending;

use super::meter::Meter;
use crate::prompt::{Decisions, Jobs, RunError, RunLimits};
use lmthing_base::{
    checkpoint::{args_value, call_label},
    event::AwaitedCall,
};

/// Ends the run through `meter` as soon as every job waits for an approval. Never resolves.
pub(super) async fn stop_when_all_wait_for_approval((jobs, decisions): (&Jobs, &Decisions), meter: &Meter) {
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
