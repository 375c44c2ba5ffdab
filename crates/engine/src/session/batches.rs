//! Runs whose requests are answered by batches (docs/reference/batches.md).

use std::{
    fmt,
    future::{pending, ready},
    rc::Rc,
    time::{Duration, Instant},
};

use futures_util::{FutureExt, future::LocalBoxFuture};

use crate::prompt::Jobs;
use lmthing_base::cost::BatchStage;
use lmthing_node::{Engine, has_open_work};
use lmthing_providers::{BatchRequest, Batching, Dispatch};

/// How long other work of the script, such as a timer or a download, may delay the suspension of a run. A part of it
/// may never end, as a connection that is kept open.
const PATIENCE: Duration = Duration::from_secs(5);

const CHECK_INTERVAL: Duration = Duration::from_millis(20);

/// What is known of the requests of a run.
pub trait BatchAnswers: fmt::Debug {
    /// What happens to a request. `None` if it waits for a batch, and has been noted.
    fn dispatch(&self, request: BatchRequest) -> Option<Dispatch>;

    /// How far the next request of this step of the run with this key is. `None` if it would be sent at once.
    fn stage_of(&self, key: &str, step: usize) -> Option<BatchStage>;
}

pub(super) struct BatchedRequests {
    answers: Rc<dyn BatchAnswers>,
    jobs: Rc<Jobs>,
}

impl BatchedRequests {
    pub(super) fn new(answers: Rc<dyn BatchAnswers>, jobs: Rc<Jobs>) -> Self {
        BatchedRequests { answers, jobs }
    }
}

impl Batching for BatchedRequests {
    fn ask(&self, request: BatchRequest) -> LocalBoxFuture<'_, Dispatch> {
        match self.answers.dispatch(request) {
            Some(dispatch) => ready(dispatch).boxed_local(),
            None => {
                self.jobs.wait_for_batch();
                pending().boxed_local()
            }
        }
    }
}

/// Resolves when everything that is left of the run waits for batches.
pub(super) async fn all_wait_for_batches(jobs: &Jobs, engine: &Engine) {
    let mut waits_since = None;
    loop {
        jobs.all_wait().await;
        // Requests that wait keep the program alive, and so does the code that waits for an agent.
        let waiting = jobs.batched() + jobs.running_code();
        if !engine.context().with(|ctx| has_open_work(&ctx, waiting)).await {
            return;
        }
        if waits_since.get_or_insert_with(Instant::now).elapsed() >= PATIENCE {
            return;
        }
        tokio::time::sleep(CHECK_INTERVAL).await;
    }
}
