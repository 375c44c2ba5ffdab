//! A thread that runs rows, several at once, as they mostly wait for models. Must not know which rows there are.

use std::{
    future::poll_fn,
    pin::pin,
    rc::Rc,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
        mpsc::Sender,
    },
    thread,
    time::Instant,
};

use tokio::{
    sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel},
    task::LocalSet,
};

use super::{
    message::{Job, Message},
    row::{self, Shared},
};
use crate::{provider::Redactor, script::THREAD_STACK_SIZE};

/// The end of a thread that hands it rows.
pub(super) struct Thread {
    jobs: UnboundedSender<Job>,
    pulse: Arc<Pulse>,
    /// Rows that it has.
    pub(super) rows: usize,
}

/// What a thread is doing, for whoever looks from outside.
struct Pulse {
    began: Instant,
    /// The row that has its turn; 0 when none has.
    row: AtomicU64,
    /// Since when, in milliseconds.
    since: AtomicU64,
}

impl Pulse {
    fn now(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    fn begin(&self, row: u64) {
        self.since.store(self.now(), Ordering::Relaxed);
        self.row.store(row, Ordering::Release);
    }

    fn end(&self) {
        self.row.store(0, Ordering::Release);
    }
}

impl Thread {
    /// Starts one.
    ///
    /// # Errors
    /// The system has none left.
    pub(super) fn start(shared: &Arc<Shared>, sender: &Sender<Message>) -> std::io::Result<Self> {
        let (jobs, receiver) = unbounded_channel();
        let pulse = Arc::new(Pulse { began: Instant::now(), row: 0.into(), since: 0.into() });
        let (shared, sender, shown) = (shared.clone(), sender.clone(), pulse.clone());
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let thread = thread::Builder::new().name("lmthing-map".into()).stack_size(THREAD_STACK_SIZE);
        thread.spawn(move || {
            LocalSet::new().block_on(&runtime, work(&shared, receiver, &sender, &shown));
            // Not to wait for a blocking call that nobody needs any more.
            runtime.shutdown_background();
        })?;
        Ok(Thread { jobs, pulse, rows: 0 })
    }

    /// Hands it a row.
    pub(super) fn run(&mut self, job: Job) {
        self.rows += 1;
        // It is there as long as this end is.
        let _ = self.jobs.send(job);
    }

    /// The row that has had its turn for so many milliseconds.
    pub(super) fn stuck(&self, longer_than: u64) -> Option<u64> {
        let row = self.pulse.row.load(Ordering::Acquire);
        let since = self.pulse.since.load(Ordering::Relaxed);
        (row != 0 && self.pulse.now().saturating_sub(since) > longer_than).then_some(row)
    }
}

async fn work(shared: &Arc<Shared>, mut jobs: UnboundedReceiver<Job>, sender: &Sender<Message>, pulse: &Arc<Pulse>) {
    let variables = &shared.options.variables;
    let redactor = Rc::new(Redactor::of_variables(variables.iter().map(|(name, value)| (name, value))));
    while let Some(job) = jobs.recv().await {
        let (shared, redactor, sender, pulse) = (shared.clone(), redactor.clone(), sender.clone(), pulse.clone());
        tokio::task::spawn_local(async move {
            let outcome = {
                let mut run = pin!(row::run(&shared, &redactor, &job, &sender));
                poll_fn(|cx| {
                    pulse.begin(job.row);
                    let polled = run.as_mut().poll(cx);
                    pulse.end();
                    polled
                })
                .await
            };
            let _ = sender.send(Message::Ended { row: job.row, attempt: job.attempt, outcome: Box::new(outcome) });
        });
    }
}
