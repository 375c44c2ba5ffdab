//! Progress of a remote run on standard error: status line, calls that wait for approval, failed attempts.

use std::{
    cell::RefCell,
    collections::HashSet,
    rc::Rc,
    time::{Duration, Instant},
};

use super::order::Order;
use crate::{
    cli::{
        Printer,
        commands::approve::{command, shown},
        live::LiveLine,
    },
    remote::{AdminClient, IngressClient},
};

const INTERVAL: Duration = Duration::from_millis(100);

/// Delay before the first request to the admin API, and between requests.
const LOOKS: (Duration, Duration) = (Duration::from_secs(2), Duration::from_secs(10));

pub(super) struct Watch<'a> {
    order: &'a Order<'a>,
    remote: Rc<IngressClient>,
    printer: &'a Printer,
    line: RefCell<LiveLine>,
    began: Instant,
}

impl<'a> Watch<'a> {
    pub(super) fn new(order: &'a Order<'a>, remote: Rc<IngressClient>, printer: &'a Printer) -> Self {
        Watch { order, remote, printer, line: RefCell::new(LiveLine::new(printer)), began: Instant::now() }
    }

    /// Shows progress; never returns.
    pub(super) async fn show(&self) {
        if self.order.args.show.quiet {
            return std::future::pending().await;
        }
        tokio::join!(self.tick(), self.look());
    }

    pub(super) fn clear(&self) {
        self.line.borrow().clear();
    }

    async fn tick(&self) {
        let mut interval = tokio::time::interval(INTERVAL);
        loop {
            interval.tick().await;
            self.line.borrow_mut().draw(|| self.words());
        }
    }

    fn words(&self) -> String {
        let seconds = self.began.elapsed().as_secs();
        match (self.remote.retry_reason(), &*self.order.invocation.borrow()) {
            (Some(trouble), _) => format!("{trouble}; trying again, {seconds} s"),
            (None, Some(invocation)) => format!("{invocation} · waiting for its result, {seconds} s"),
            (None, None) => format!("submitting, {seconds} s"),
        }
    }

    /// Queries the admin API until a request fails.
    async fn look(&self) {
        let mut told = HashSet::new();
        tokio::time::sleep(LOOKS.0).await;
        if let Ok(admin) = AdminClient::new(&self.order.admin(), &self.order.variables) {
            while self.tell(&admin, &mut told).await {
                tokio::time::sleep(LOOKS.1).await;
            }
        }
        std::future::pending().await
    }

    /// Prints what is new; returns `false` if a request failed.
    async fn tell(&self, admin: &AdminClient, told: &mut HashSet<String>) -> bool {
        let Some(invocation) = self.order.invocation.borrow().clone() else { return true };
        let Ok(calls) = admin.waiting(Some(&invocation)).await else { return false };
        for call in calls.iter().filter(|call| told.insert(call.id.clone())) {
            let text = format!("The run waits for approval:\n{}", shown(call));
            self.printer.stderr(&format!("{text}  {}\n", command(&call.id, self.order.on)));
        }
        let Ok(failure) = admin.last_failure(&invocation).await else { return false };
        if let Some(failure) = failure.filter(|failure| told.insert(failure.clone())) {
            self.printer.stderr(&format!("The server has not got it run yet, and tries again: {failure}\n"));
        }
        true
    }
}
