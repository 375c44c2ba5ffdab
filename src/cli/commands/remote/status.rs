//! Progress of a remote run on standard error: status line, calls that wait for approval, failed attempts.

use std::{
    cell::RefCell,
    collections::HashSet,
    rc::Rc,
    time::{Duration, Instant},
};

use super::remote_run::RemoteRun;
use crate::cli::{
    Printer,
    commands::approve::{command, shown},
    status_line::StatusLine,
};
use lmthing_system::remote::{AdminClient, IngressClient};

const DRAW_INTERVAL: Duration = Duration::from_millis(100);

/// Delay before the first request to the admin API, and between requests.
const ADMIN_POLL_DELAYS: (Duration, Duration) = (Duration::from_secs(2), Duration::from_secs(10));

pub(super) struct RemoteStatus<'a> {
    remote_run: &'a RemoteRun<'a>,
    remote: Rc<IngressClient>,
    printer: &'a Printer,
    line: RefCell<StatusLine>,
    began: Instant,
}

impl<'a> RemoteStatus<'a> {
    pub(super) fn new(remote_run: &'a RemoteRun<'a>, remote: Rc<IngressClient>, printer: &'a Printer) -> Self {
        RemoteStatus {
            remote_run,
            remote,
            printer,
            line: RefCell::new(StatusLine::new(printer)),
            began: Instant::now(),
        }
    }

    /// Never returns.
    pub(super) async fn show(&self) {
        if self.remote_run.args.show.quiet {
            return std::future::pending().await;
        }
        tokio::join!(self.tick(), self.poll_admin());
    }

    pub(super) fn clear(&self) {
        self.line.borrow().clear();
    }

    async fn tick(&self) {
        let mut interval = tokio::time::interval(DRAW_INTERVAL);
        loop {
            interval.tick().await;
            self.line.borrow_mut().draw(|| self.words());
        }
    }

    fn words(&self) -> String {
        let seconds = self.began.elapsed().as_secs();
        match (self.remote.retry_reason(), &*self.remote_run.invocation.borrow()) {
            (Some(trouble), _) => format!("{trouble}; trying again, {seconds} s"),
            (None, Some(invocation)) => format!("{invocation} · waiting for its result, {seconds} s"),
            (None, None) => format!("submitting, {seconds} s"),
        }
    }

    /// Queries the admin API until a request fails.
    async fn poll_admin(&self) {
        let mut reported = HashSet::new();
        tokio::time::sleep(ADMIN_POLL_DELAYS.0).await;
        if let Ok(admin) = AdminClient::new(&self.remote_run.admin(), &self.remote_run.variables) {
            while self.report_news(&admin, &mut reported).await {
                tokio::time::sleep(ADMIN_POLL_DELAYS.1).await;
            }
        }
        std::future::pending().await
    }

    /// Prints what is new; returns `false` if a request failed.
    async fn report_news(&self, admin: &AdminClient, reported: &mut HashSet<String>) -> bool {
        let Some(invocation) = self.remote_run.invocation.borrow().clone() else { return true };
        let Ok(calls) = admin.waiting(Some(&invocation)).await else { return false };
        for call in calls.iter().filter(|call| reported.insert(call.id.clone())) {
            let text = format!("The run waits for approval:\n{}", shown(call));
            self.printer.stderr(&format!("{text}  {}\n", command(&call.id, self.remote_run.on)));
        }
        let Ok(failure) = admin.last_failure(&invocation).await else { return false };
        if let Some(failure) = failure.filter(|failure| reported.insert(failure.clone())) {
            self.printer.stderr(&format!("The server has not got it run yet, and tries again: {failure}\n"));
        }
        true
    }
}
