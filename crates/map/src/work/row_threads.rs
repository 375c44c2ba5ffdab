//! The threads that run rows, or the one that waits for a Restate server to run them.

use std::{
    io,
    rc::Rc,
    sync::{Arc, mpsc::Sender},
};

use super::{
    message::{Job, Message},
    remote_rows,
    row::{self, RowContext, RowRun},
};
use lmthing_base::diagnostic::Diagnostic;
use lmthing_node::THREAD_STACK_SIZE;
use lmthing_providers::Redactor;
use lmthing_system::{
    remote::IngressClient,
    threads::{ThreadOptions, ThreadPool},
};

pub(super) fn start_threads(
    context: &Arc<RowContext>,
    sender: &Sender<Message>,
) -> Result<ThreadPool<Job>, Box<Diagnostic>> {
    let threads = match &context.remote_rows {
        Some(_) => start_remote_waiter(context, sender),
        None => start_row_threads(context, sender),
    };
    threads.map_err(|error| no_thread(&error))
}

fn start_row_threads(context: &Arc<RowContext>, sender: &Sender<Message>) -> io::Result<ThreadPool<Job>> {
    let thread_options = ThreadOptions { name: "lmthing-map", stack_size: THREAD_STACK_SIZE };
    let (context, sender) = (context.clone(), sender.clone());
    ThreadPool::start(thread_options, context.options.jobs.get(), move || {
        let variables = &context.options.variables;
        let redactor = Rc::new(Redactor::of_variables(variables.iter().map(|(name, value)| (name, value))));
        let (context, sender) = (context.clone(), sender.clone());
        move |job: Job| {
            let (context, redactor, sender) = (context.clone(), redactor.clone(), sender.clone());
            async move {
                let (row, attempt) = (job.row, job.attempt);
                let _ = sender.send(match row::run(&context, &redactor, &job, &sender).await {
                    RowRun::Ended(outcome) => Message::Ended { row, attempt, outcome },
                    RowRun::Suspended(suspension) => Message::Suspended { row, attempt, suspension },
                });
            }
        }
    })
}

fn start_remote_waiter(context: &Arc<RowContext>, sender: &Sender<Message>) -> io::Result<ThreadPool<Job>> {
    let thread_options = ThreadOptions { name: "lmthing-map", stack_size: THREAD_STACK_SIZE };
    let (context, sender) = (context.clone(), sender.clone());
    ThreadPool::start(thread_options, 1, move || {
        let address = context.remote_rows.as_ref().map(|rows| &rows.server.address);
        let remote = address.map(|address| IngressClient::new(address, &context.options.variables)).transpose();
        let (context, sender, remote) = (context.clone(), sender.clone(), Rc::new(remote));
        move |job: Job| {
            let (context, sender, remote) = (context.clone(), sender.clone(), remote.clone());
            async move {
                let ended = match (&*remote, &context.remote_rows) {
                    (Ok(Some(remote)), Some(rows)) => remote_rows::run(rows, remote, &job).await,
                    (Err(error), _) => Err(error.clone()),
                    _ => return,
                };
                let _ = sender.send(match ended {
                    Ok(outcome) => Message::Ended { row: job.row, attempt: job.attempt, outcome: Box::new(outcome) },
                    Err(error) => Message::Lost { row: job.row, error },
                });
            }
        }
    })
}

pub(super) fn no_thread(error: &io::Error) -> Box<Diagnostic> {
    Box::new(Diagnostic::new(format!("cannot start a thread: {error}")))
}
