//! Loads an eval file on the thread that will score its answers.

use std::{
    rc::Rc,
    sync::{
        Arc,
        mpsc::{self, Receiver},
    },
};

use super::{
    eval_file::EvalFile,
    options::{EvalListener, EvalOptions},
    recordings::EvalRecordings,
    scores::{ScoreMessage, ScoreOptions, ScoreThread, StartError},
    state::SharedState,
};
use lmthing_engine::prompt::RunError;
use lmthing_providers::Servers;

/// An eval file that is ready to score.
pub(crate) struct Loaded {
    pub(crate) file: EvalFile,
    pub(crate) thread: ScoreThread,
    pub(crate) messages: Receiver<ScoreMessage>,
}

/// `None` if the user has interrupted it.
pub(crate) fn load(
    options: &EvalOptions,
    recordings: Option<&Arc<EvalRecordings>>,
    (state, servers): (&SharedState, &Arc<Servers>),
    listener: &mut dyn EvalListener,
) -> Result<Option<Loaded>, Rc<RunError>> {
    let (sender, messages) = mpsc::channel();
    let (state, is_paid) = (state.clone(), recordings.is_none());
    let send = move |message: ScoreMessage| {
        // Stored at once, as it was paid for.
        if let ScoreMessage::Verdict { key: Some(key), verdict } = &message
            && is_paid
            && let Err(problem) = state.with(|state| state.keep_verdict(key, verdict))
        {
            let _ = sender.send(ScoreMessage::Failed(problem));
        }
        let _ = sender.send(message);
    };
    let score_options = ScoreOptions {
        file: options.file.clone(),
        shown_file: options.shown_file.clone(),
        variables: options.variables.clone(),
        own_prices: options.own_prices.clone(),
        permissions: options.permissions.clone(),
        judge_exchanges: recordings.map(EvalRecordings::of_judges),
        overall: options.limits.clone(),
        servers: servers.clone(),
        jobs: options.jobs,
    };
    let started = ScoreThread::start(score_options, Box::new(send), &mut || listener.interrupted().is_some());
    match started {
        Ok((file, thread)) => Ok(Some(Loaded { file, thread, messages })),
        Err(error) => {
            for message in messages.try_iter() {
                match message {
                    ScoreMessage::Printed(text) => listener.printed(None, &text),
                    ScoreMessage::Warned(text) => listener.warned(None, &text),
                    _ => {}
                }
            }
            match error {
                StartError::Interrupted => Ok(None),
                StartError::File(problem) => Err(Rc::new(RunError::from(*problem))),
                StartError::Usage(problem) => Err(Rc::new(RunError::Usage(problem))),
            }
        }
    }
}
