//! The threads that run rows, or the one that waits for a Restate server to run them.

use std::{
    io,
    rc::Rc,
    sync::{Arc, mpsc::Sender},
};

use super::{
    elsewhere,
    message::{Job, Message},
    row::{self, Shared},
};
use crate::{
    diagnostic::Diagnostic,
    provider::Redactor,
    remote::Remote,
    script::THREAD_STACK_SIZE,
    threads::{Like, Threads},
};

pub(super) fn threads(shared: &Arc<Shared>, sender: &Sender<Message>) -> Result<Threads<Job>, Box<Diagnostic>> {
    let threads = match &shared.there {
        Some(_) => of_waits(shared, sender),
        None => of_runs(shared, sender),
    };
    threads.map_err(|error| no_thread(&error))
}

fn of_runs(shared: &Arc<Shared>, sender: &Sender<Message>) -> io::Result<Threads<Job>> {
    let like = Like { name: "lmthing-map", stack_size: THREAD_STACK_SIZE };
    let (shared, sender) = (shared.clone(), sender.clone());
    Threads::start(like, shared.options.jobs.get(), move || {
        let variables = &shared.options.variables;
        let redactor = Rc::new(Redactor::of_variables(variables.iter().map(|(name, value)| (name, value))));
        let (shared, sender) = (shared.clone(), sender.clone());
        move |job: Job| {
            let (shared, redactor, sender) = (shared.clone(), redactor.clone(), sender.clone());
            async move {
                let outcome = Box::new(row::run(&shared, &redactor, &job, &sender).await);
                let _ = sender.send(Message::Ended { row: job.row, attempt: job.attempt, outcome });
            }
        }
    })
}

fn of_waits(shared: &Arc<Shared>, sender: &Sender<Message>) -> io::Result<Threads<Job>> {
    let like = Like { name: "lmthing-map", stack_size: THREAD_STACK_SIZE };
    let (shared, sender) = (shared.clone(), sender.clone());
    Threads::start(like, 1, move || {
        let address = shared.options.elsewhere.as_ref().map(|elsewhere| &elsewhere.address);
        let remote = address.map(|address| Remote::new(address, &shared.options.variables)).transpose();
        let (shared, sender, remote) = (shared.clone(), sender.clone(), Rc::new(remote));
        move |job: Job| {
            let (shared, sender, remote) = (shared.clone(), sender.clone(), remote.clone());
            async move {
                let ended = match (&*remote, &shared.there) {
                    (Ok(Some(remote)), Some(there)) => elsewhere::run(there, remote, &job).await,
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
