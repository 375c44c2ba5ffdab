//! The thread of an eval file, and its handle.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    rc::Rc,
    sync::{
        PoisonError,
        mpsc::{RecvTimeoutError, Sender, channel},
    },
    time::Duration,
};

use tokio::sync::{mpsc, oneshot, watch};

use super::{
    ScoreMessage, ScoreOptions, ScoreRequest, StartError, Verdicts,
    inbox::{Inbox, Started, Turn, failed},
    worker,
};
use crate::eval_file::EvalFile;
use lmthing_base::diagnostic::Diagnostic;
use lmthing_engine::bindings::eval::{ScoreInput, ScoreInputs};
use lmthing_node::THREAD_STACK_SIZE;
use lmthing_system::threads::ThreadOptions;

/// How often the caller is asked whether the user has interrupted the command.
const CHECK_INTERVAL: Duration = Duration::from_millis(20);

/// How long the thread may run without a pause. Scripts that compute are interrupted before, those that wait for another
/// process are not.
const LONGEST_TURN: Duration = Duration::from_secs(180);

/// The handle of the thread, which ends when this is dropped.
pub struct ScoreThread {
    inputs: mpsc::UnboundedSender<ScoreInput>,
    is_ending: watch::Sender<bool>,
    turn: Turn,
    unusable_judge: Option<Box<Diagnostic>>,
    /// The thread ends when this is dropped.
    _alive: oneshot::Sender<()>,
}

impl ScoreThread {
    /// Loads an eval file on a new thread and checks its exports. `is_interrupted` is called every few milliseconds
    /// while that takes.
    pub fn start(
        options: ScoreOptions,
        send: Box<dyn Fn(ScoreMessage) + Send>,
        is_interrupted: &mut dyn FnMut() -> bool,
    ) -> Result<(EvalFile, ScoreThread), StartError> {
        let (sender_of_inputs, inputs) = mpsc::unbounded_channel();
        let (alive, ended) = oneshot::channel();
        let turn = Turn::default();
        let (is_ending, ending) = watch::channel(false);
        let inbox = Inbox { inputs: ScoreInputs { inputs, is_ending: ending }, turn: turn.clone(), ended };
        let thread = ScoreThread { inputs: sender_of_inputs, is_ending, turn, unusable_judge: None, _alive: alive };
        let (sender, receiver) = channel();
        let spawned = ThreadOptions { name: "lmthing-eval", stack_size: THREAD_STACK_SIZE }
            .spawn(move || run(options, send, inbox, sender));
        spawned.map_err(|error| failed(format!("cannot start a thread: {error}")))?;
        loop {
            match receiver.recv_timeout(CHECK_INTERVAL) {
                Ok(started) => {
                    return started.map(|(file, unusable_judge)| (file, ScoreThread { unusable_judge, ..thread }));
                }
                Err(RecvTimeoutError::Timeout) if is_interrupted() => return Err(StartError::Interrupted),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(failed("lmthing failed while it loaded the eval file".to_owned()));
                }
            }
        }
    }

    /// Adds verdicts of earlier commands. To be called before the first request.
    pub fn set_verdicts(&self, known: Verdicts) {
        // The receiver is gone if the thread has failed, which it has reported.
        let _ = self.inputs.send(ScoreInput::Verdicts(known));
    }

    /// Why a judge of the file could not be asked, such as a missing key. An error if a cell has to be asked.
    pub fn unusable_judge(&self) -> Option<&Diagnostic> {
        self.unusable_judge.as_deref()
    }

    /// Scores an answer; several at once.
    pub fn score(&self, request: ScoreRequest) {
        let _ = self.inputs.send(ScoreInput::Cell(request));
    }

    /// Asks no further judges. Scores get a moment, apart from the time that judges under way need.
    pub fn end(&self) {
        self.is_ending.send_if_modified(|is_ending| !std::mem::replace(is_ending, true));
    }

    /// Why the thread will not answer any more: a score blocks it.
    pub fn blocked(&self) -> Option<Box<Diagnostic>> {
        let began = (*self.turn.lock().unwrap_or_else(PoisonError::into_inner))?;
        let seconds = LONGEST_TURN.as_secs();
        (began.elapsed() > LONGEST_TURN).then(|| {
            let message = format!("a score blocked all others for {seconds} s and could not be interrupted");
            Box::new(Diagnostic::new(message))
        })
    }
}

/// Runs on the new thread. After a panic the caller still gets a message.
fn run(options: ScoreOptions, send: Box<dyn Fn(ScoreMessage) + Send>, inbox: Inbox, started: Sender<Started>) {
    let send: Rc<dyn Fn(ScoreMessage)> = Rc::new(send);
    let to_end = AssertUnwindSafe(|| worker::run(options, send.clone(), inbox, started));
    if catch_unwind(to_end).is_err() {
        let problem = Diagnostic::new("lmthing failed while it scored answers");
        send(ScoreMessage::Failed(Box::new(problem)));
    }
}
