//! What is known of the requests of a row, and what a run of it asks for (docs/reference/batches.md).

use std::{
    cell::{Cell, RefCell},
    collections::HashMap,
    rc::Rc,
};

use super::run_order::{Moved, exchanged, family};
use crate::hashes::hash_of_request;
use lmthing_base::{chat::RequestPlace, cost::BatchStage};
use lmthing_engine::session::BatchAnswers;
use lmthing_providers::{
    BatchAnswer, BatchRequest, BatchTarget, Dispatch, ProviderError, ProviderErrorKind, ProviderSettings,
};

/// A request of an earlier run of the row. The outcome is unset while its batch is under way.
#[derive(Clone, Debug)]
pub(crate) struct KnownRequest {
    pub id: i64,
    pub place: RequestPlace,
    pub digest: String,
    /// How many requests at its place have failed before.
    pub tries: u32,
    /// Whether a batch has, or had, the request.
    pub is_submitted: bool,
    pub outcome: Option<Outcome>,
}

/// What has become of a request.
#[derive(Clone, Debug)]
pub(crate) enum Outcome {
    Answered(BatchAnswer),
    /// Why there is no answer.
    Failed(String),
}

/// What is stored of a row.
#[derive(Clone, Debug, Default)]
pub(crate) struct RowRecord {
    pub requests: Vec<KnownRequest>,
    /// The entries of its logs with their keys.
    pub entries: Vec<(String, String)>,
}

/// A request that a run waits for.
pub(crate) enum Ask {
    Known {
        id: i64,
        target: String,
        settings: Box<ProviderSettings>,
    },
    /// `replaces` is an earlier request at its place that failed.
    New {
        request: Box<BatchRequest>,
        replaces: Option<(i64, u32)>,
    },
}

/// A state of the row that cannot be stored, once there is one. A run that is repeated does not have it.
pub(crate) type LostState = Rc<RefCell<Option<String>>>;

/// The answers that a run of a row gets, and the requests that it waits for.
#[derive(Debug)]
pub(crate) struct RowAnswers {
    requests: RefCell<Vec<KnownRequest>>,
    /// Of `requests`: a run asks for each once.
    used: RefCell<Vec<bool>>,
    /// Requests that another text got than theirs.
    changed: RefCell<Vec<usize>>,
    moved: Moved,
    /// Whether requests that follow an answer, or a failure, are sent at once.
    sends_next: bool,
    asked: RefCell<Vec<Ask>>,
    has_sent: Cell<bool>,
    lost: LostState,
}

impl std::fmt::Debug for Ask {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Ask::Known { id, .. } => write!(f, "Known({id})"),
            Ask::New { request, .. } => write!(f, "New({:?})", request.place),
        }
    }
}

impl KnownRequest {
    fn is_of(&self, key: &str, step: usize) -> bool {
        self.place.key == key && self.place.step == step
    }

    pub(super) fn is_well_answered(&self) -> bool {
        matches!(&self.outcome, Some(Outcome::Answered(answer)) if answer.status < 300)
    }

    fn is_refused(&self) -> bool {
        matches!(&self.outcome, Some(Outcome::Answered(answer)) if answer.status >= 300)
    }

    /// `None` if another request follows, or nothing.
    fn stage(&self) -> Option<BatchStage> {
        match &self.outcome {
            Some(Outcome::Failed(_)) => None,
            Some(Outcome::Answered(_)) => (!self.is_refused()).then_some(BatchStage::Answered),
            None if self.is_submitted => Some(BatchStage::Submitted),
            None => Some(BatchStage::New),
        }
    }
}

impl RowAnswers {
    /// `answered` is how many steps of each run are restored from its log.
    pub(crate) fn new(
        requests: Vec<KnownRequest>,
        answered: &HashMap<String, usize>,
        (asks_next_at_once, has_failed): (bool, bool),
        (lost, moved): (LostState, Moved),
    ) -> Self {
        let is_answered = requests.iter().any(|known| known.outcome.is_some());
        let is_restored = |place: &RequestPlace| answered.get(&place.key).is_some_and(|steps| place.step < *steps);
        RowAnswers {
            used: RefCell::new(requests.iter().map(|known| is_restored(&known.place)).collect()),
            sends_next: asks_next_at_once && (is_answered || has_failed),
            requests: RefCell::new(requests),
            changed: RefCell::default(),
            moved,
            asked: RefCell::default(),
            has_sent: Cell::new(false),
            lost,
        }
    }

    /// Whether a request was sent at once.
    pub(crate) fn has_sent(&self) -> bool {
        self.has_sent.get()
    }

    /// Why requests were sent at once although they should go into batches.
    pub(crate) fn lost_state(&self) -> Option<String> {
        self.lost.borrow().clone().filter(|_| self.has_sent.get() && !self.sends_next)
    }

    pub(crate) fn take_asked(&self) -> Vec<Ask> {
        self.asked.take()
    }

    /// The request of an earlier run that this one repeats: one with this text. A run may differ in its texts, as with
    /// the time in a prompt: then the one at the same place is it. If that was refused, the text may have changed because
    /// other rows have learned why, so it is tried once more.
    fn find(&self, place: &RequestPlace, digest: &str) -> Result<Option<usize>, Confused> {
        let is_open = |known: &KnownRequest| known.tries > 0 || !known.is_refused();
        let same = self
            .position(|known| known.place == *place && known.digest == digest)
            .or_else(|| self.position(|known| known.is_of(&place.key, place.step) && known.digest == digest))
            .or_else(|| self.move_from_sibling(place, digest));
        if same.is_some() {
            return Ok(same);
        }
        let other = self.position(|known| known.place == *place && is_open(known));
        let requests = self.requests.borrow();
        let is_of_family = |known: &&KnownRequest| family(&known.place.key) == family(&place.key);
        let is_only = requests.iter().filter(is_of_family).all(|known| known.place.key == place.key);
        let is_taken = |index: &usize| requests[*index].place.step == place.step && requests[*index].digest == digest;
        let mut changed = self.changed.borrow_mut();
        if !is_only && (changed.iter().any(is_taken) || other.is_some() && !self.moved.borrow().is_empty()) {
            return Err(Confused);
        }
        changed.extend(other);
        Ok(other)
    }

    fn position(&self, is_it: impl Fn(&KnownRequest) -> bool) -> Option<usize> {
        let used = self.used.borrow();
        self.requests.borrow().iter().enumerate().position(|(index, known)| !used[index] && is_it(known))
    }

    /// The request with this text of another run of the row, as runs may begin in another order than before. Both runs
    /// change places.
    fn move_from_sibling(&self, place: &RequestPlace, digest: &str) -> Option<usize> {
        let has_begun = |key: &str| {
            let (requests, used) = (self.requests.borrow(), self.used.borrow());
            requests.iter().zip(&*used).any(|(known, used)| *used && known.place.key == key)
        };
        let is_it = |known: &KnownRequest| {
            known.place.step == place.step && known.digest == digest && !has_begun(&known.place.key)
        };
        let index = self.position(is_it).filter(|_| !has_begun(&place.key))?;
        let mut requests = self.requests.borrow_mut();
        let from = requests[index].place.key.clone();
        let mut moved = self.moved.borrow_mut();
        for known in requests.iter_mut() {
            let Some(key) = exchanged(&known.place.key, &place.key, &from) else { continue };
            moved.retain(|(id, _)| *id != known.id);
            moved.push((known.id, key.clone()));
            known.place.key = key;
        }
        Some(index)
    }
}

/// Runs of a row begin in another order, and texts have changed, so that it is not known which answer is whose.
struct Confused;

impl BatchAnswers for RowAnswers {
    fn dispatch(&self, request: BatchRequest) -> Option<Dispatch> {
        let digest = hash_of_request(&request.body);
        let found = match self.find(&request.place, &digest) {
            Ok(found) => found,
            Err(Confused) => return Some(Dispatch::Failed(confused(&request))),
        };
        if let Some(index) = found {
            self.used.borrow_mut()[index] = true;
            let known = &self.requests.borrow()[index];
            return match &known.outcome {
                Some(Outcome::Answered(answer)) => Some(Dispatch::Answered(answer.clone())),
                Some(Outcome::Failed(words)) => Some(Dispatch::Failed(unanswered(&request, words))),
                None => {
                    let target = target_text(&request.target);
                    let settings = Box::new(request.settings);
                    self.asked.borrow_mut().push(Ask::Known { id: known.id, target, settings });
                    None
                }
            };
        }
        // A run that is repeated without a state would repeat its tools.
        if self.sends_next || self.lost.borrow().is_some() {
            self.has_sent.set(true);
            return Some(Dispatch::Send);
        }
        let is_replaced = |known: &&KnownRequest| known.place == request.place && known.is_refused();
        let replaces = self.requests.borrow().iter().find(is_replaced).map(|known| (known.id, known.tries + 1));
        self.asked.borrow_mut().push(Ask::New { request: Box::new(request), replaces });
        None
    }

    fn stage_of(&self, key: &str, step: usize) -> Option<BatchStage> {
        let (requests, used) = (self.requests.borrow(), self.used.borrow());
        // Its request may be at the place of another run of its function.
        let is_it = |known: &KnownRequest| known.place.step == step && family(&known.place.key) == family(key);
        let open = requests.iter().zip(used.iter()).filter(|(known, used)| !**used && is_it(known));
        let stage = open.filter_map(|(known, _)| known.stage()).max();
        stage.or_else(|| (!self.sends_next && self.lost.borrow().is_none()).then_some(BatchStage::New))
    }
}

fn unanswered(request: &BatchRequest, words: &str) -> ProviderError {
    ProviderError::new(ProviderErrorKind::Server, &*request.target.provider, &*request.model_id, words)
}

fn confused(request: &BatchRequest) -> ProviderError {
    let words = "prompts of the row began in another order than before, with other texts, so that it is not known which \
                 of their answers is whose";
    let mut error =
        ProviderError::new(ProviderErrorKind::BadRequest, &*request.target.provider, &*request.model_id, words);
    error.hint = Some("Give each runPrompt of the same function an `input` of its own.".to_owned());
    error
}

/// A service in its stored form.
pub(super) fn target_text(target: &BatchTarget) -> String {
    serde_json::to_string(target).unwrap_or_default()
}

#[cfg(test)]
pub(super) mod tests {
    use serde_json::value::RawValue;

    use super::*;

    fn place(step: usize, number: usize) -> RequestPlace {
        RequestPlace { key: String::new(), step, number }
    }

    pub(in crate::batches) fn request(body: &str, place: RequestPlace) -> BatchRequest {
        BatchRequest {
            target: BatchTarget {
                provider: "openai".to_owned(),
                address: "http://127.0.0.1/".to_owned(),
                path: "chat/completions".to_owned(),
                model_id: None,
                headers: Vec::new(),
            },
            model_id: "m".to_owned(),
            body: RawValue::from_string(body.to_owned()).unwrap(),
            place,
            settings: ProviderSettings::default(),
        }
    }

    fn known(id: i64, body: &str, place: RequestPlace, status: Option<u16>) -> KnownRequest {
        let answer =
            |status| Outcome::Answered(BatchAnswer { status, body: RawValue::from_string(id.to_string()).unwrap() });
        let digest = hash_of_request(&RawValue::from_string(body.to_owned()).unwrap());
        KnownRequest { id, place, digest, tries: 0, is_submitted: true, outcome: status.map(answer) }
    }

    fn answers_of(requests: Vec<KnownRequest>, asks_next_at_once: bool) -> RowAnswers {
        RowAnswers::new(requests, &HashMap::new(), (asks_next_at_once, false), Default::default())
    }

    fn answer(answers: &RowAnswers, body: &str, place: RequestPlace) -> String {
        match answers.dispatch(request(body, place)) {
            Some(Dispatch::Answered(answer)) => answer.body.get().to_owned(),
            Some(other) => format!("{other:?}"),
            None => format!("{:?}", answers.take_asked()),
        }
    }

    #[test]
    fn a_repeated_run_gets_the_answers_of_its_places() {
        let requests = vec![
            known(1, "1", place(0, 0), Some(200)),
            known(2, "2", place(0, 1), Some(200)),
            known(3, "3", place(1, 0), None),
        ];
        let answers = answers_of(requests, false);
        assert_eq!(answer(&answers, "2", place(0, 0)), "2", "the same text has precedence");
        assert_eq!(answer(&answers, "9", place(0, 0)), "1", "the text may have changed");
        assert_eq!(answer(&answers, "3", place(1, 0)), "[Known(3)]");
        assert!(answer(&answers, "3", place(1, 0)).starts_with("[New("), "it waits for it once");
        assert_eq!(answers.stage_of("", 1), Some(BatchStage::New), "all of its requests are used");
    }

    #[test]
    fn a_failure_belongs_to_the_same_text_only() {
        let requests = || vec![known(1, "1", place(0, 0), Some(400))];
        let answers = answers_of(requests(), false);
        let asked = answers.dispatch(request("2", place(0, 0)));
        assert!(asked.is_none());
        assert!(matches!(&answers.take_asked()[..], [Ask::New { replaces: Some((1, 1)), .. }]));
        assert_eq!(answer(&answers, "1", place(0, 0)), "1");
    }

    #[test]
    fn requests_after_the_first_answer_may_be_sent_at_once() {
        let answers = answers_of(vec![known(1, "1", place(0, 0), Some(200))], true);
        assert_eq!(answer(&answers, "1", place(0, 0)), "1");
        assert_eq!(answer(&answers, "2", place(1, 0)), "Send");
        let first = answers_of(Vec::new(), true);
        assert!(answer(&first, "1", place(0, 0)).starts_with("[New("));
    }
}
