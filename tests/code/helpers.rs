//! Helpers for tests of the sandbox.

use std::{future::Future, time::Duration};

/// The binary, which contains the sandbox worker.
pub(crate) fn program() -> &'static str {
    env!("CARGO_BIN_EXE_lmthing")
}

pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime").block_on(future)
}

/// Whether a process ends (or becomes a zombie) within this time.
pub(crate) async fn ends_within(process: u32, time: Duration) -> bool {
    let until = tokio::time::Instant::now() + time;
    while tokio::time::Instant::now() < until {
        let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
        if status.is_empty() || status.contains("State:\tZ") {
            return true;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    false
}
