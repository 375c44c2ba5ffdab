//! Tokens and temporary keys: kept until shortly before they expire, and fetched by one at a time.
//!
//! Owns: when to fetch again, and who waits for whom. Must not know: what is kept, or where it comes from.

use std::{
    cell::{Cell, RefCell},
    collections::HashMap,
    rc::Rc,
    time::{Duration, Instant, SystemTime},
};

use tokio::sync::Mutex;

use super::request::AuthFailure;
use crate::provider::Env;

/// What is kept is fetched again this long before it expires.
const EARLY: Duration = Duration::from_secs(300);

/// After a fetch that failed, what is still valid is used for this long before the next one.
const RESPITE: Duration = Duration::from_secs(30);

/// A server's word is not trusted with the clock: a longer life is cut.
const LONGEST: Duration = Duration::from_secs(86_400);

/// Something that expires.
#[derive(Clone)]
pub(super) struct Fetched<T> {
    value: T,
    expires_at: Instant,
}

impl<T> Fetched<T> {
    /// Valid for `life` from now on.
    pub(super) fn for_a_while(value: T, life: Duration) -> Self {
        Fetched { value, expires_at: Instant::now() + life.min(LONGEST) }
    }

    /// Valid until a point in time.
    pub(super) fn until(value: T, expires_at: SystemTime) -> Self {
        Fetched::for_a_while(value, expires_at.duration_since(SystemTime::now()).unwrap_or_default())
    }

    pub(super) fn value(&self) -> &T {
        &self.value
    }

    /// Another value that expires together with this one.
    pub(super) fn map<U>(self, change: impl FnOnce(T) -> U) -> Fetched<U> {
        Fetched { value: change(self.value), expires_at: self.expires_at }
    }
}

struct Held<T> {
    fetched: Fetched<T>,
    fetch_again_at: Instant,
}

/// A place for one value that expires, shared by all models that are set up alike.
pub(super) struct Kept<T> {
    held: RefCell<Option<Held<T>>>,
    failure: RefCell<Option<AuthFailure>>,
    /// Fetches that have ended; whoever waited meanwhile takes what the last one brought.
    rounds: Cell<u64>,
    turn: Mutex<()>,
    secrets: Secrets,
}

impl<T: Clone> Kept<T> {
    fn new() -> Self {
        Kept {
            held: RefCell::new(None),
            failure: RefCell::new(None),
            rounds: Cell::new(0),
            turn: Mutex::new(()),
            secrets: Secrets::default(),
        }
    }

    /// The value, fetched if there is none or its end is near.
    pub(super) async fn get<F>(&self, fetch: impl FnOnce() -> F) -> Result<T, AuthFailure>
    where
        F: Future<Output = Result<Fetched<T>, AuthFailure>>,
    {
        if let Some(value) = self.fresh() {
            return Ok(value);
        }
        let round = self.rounds.get();
        let _turn = self.turn.lock().await;
        // Thirty agents that start together need one token, and hear of one failure.
        if self.rounds.get() != round {
            return self.valid().ok_or_else(|| self.failure.borrow().clone().unwrap_or_else(AuthFailure::lost));
        }
        let fetched = fetch().await;
        self.rounds.set(round + 1);
        match fetched {
            Ok(fetched) => {
                let life = fetched.expires_at.saturating_duration_since(Instant::now());
                let fetch_again_at = Instant::now() + life.saturating_sub(EARLY);
                let value = fetched.value.clone();
                self.held.replace(Some(Held { fetched, fetch_again_at }));
                Ok(value)
            }
            Err(failure) => {
                self.failure.replace(Some(failure.clone()));
                let value = self.valid().ok_or(failure)?;
                if let Some(held) = self.held.borrow_mut().as_mut() {
                    held.fetch_again_at = Instant::now() + RESPITE;
                }
                Ok(value)
            }
        }
    }

    fn fresh(&self) -> Option<T> {
        let held = self.held.borrow();
        held.as_ref().filter(|held| Instant::now() < held.fetch_again_at).map(|held| held.fetched.value.clone())
    }

    fn valid(&self) -> Option<T> {
        let held = self.held.borrow();
        held.as_ref().filter(|held| Instant::now() < held.fetched.expires_at).map(|held| held.fetched.value.clone())
    }

    /// Every secret met on the way to the value.
    pub(super) fn secrets(&self) -> &Secrets {
        &self.secrets
    }
}

/// Values that must not be shown, as they turn up.
#[derive(Clone, Default)]
pub(super) struct Secrets(Rc<RefCell<Vec<String>>>);

impl Secrets {
    /// Remembers a secret; it is given back, so that it can be remembered where it is read.
    pub(super) fn note<S: AsRef<str>>(&self, secret: S) -> S {
        let text = secret.as_ref();
        let mut known = self.0.borrow_mut();
        if !text.is_empty() && !known.iter().any(|known| known == text) {
            known.push(text.to_owned());
        }
        drop(known);
        secret
    }

    pub(super) fn all(&self) -> Vec<String> {
        self.0.borrow().clone()
    }
}

/// The places of a thread, one for each way of being set up.
pub(super) struct Places<T>(RefCell<HashMap<String, Rc<Kept<T>>>>);

impl<T: Clone> Places<T> {
    pub(super) fn new() -> Self {
        Places(RefCell::new(HashMap::new()))
    }

    /// The place for what these variables, and `settings` beside them, lead to.
    ///
    /// Agents make models of their own; without this each would ask for a token of its own.
    pub(super) fn place(&self, env: &dyn Env, prefixes: &[&str], settings: &str) -> Rc<Kept<T>> {
        let counts = |name: &String| {
            matches!(name.as_str(), "HOME" | "APPDATA" | "USERPROFILE")
                || prefixes.iter().any(|prefix| name.starts_with(prefix))
        };
        let mut names: Vec<String> = env.names().into_iter().filter(counts).collect();
        names.sort();
        let mut key = settings.to_owned();
        for name in names {
            // No variable's value has a NUL in it.
            key.push_str(&format!("\0{name}\0{}", env.get(&name).unwrap_or_default()));
        }
        self.0.borrow_mut().entry(key).or_insert_with(|| Rc::new(Kept::new())).clone()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use futures_util::future::join_all;

    use super::*;
    use crate::provider::ProviderErrorKind;

    fn failure() -> AuthFailure {
        AuthFailure { kind: ProviderErrorKind::Authentication, message: "no".into(), hint: None }
    }

    async fn fetch(kept: &Kept<u32>, count: &Cell<u32>, life: u64) -> Result<u32, AuthFailure> {
        kept.get(|| async {
            tokio::task::yield_now().await;
            count.set(count.get() + 1);
            Ok(Fetched::for_a_while(count.get(), Duration::from_secs(life)))
        })
        .await
    }

    #[tokio::test]
    async fn one_fetch_serves_all_who_wait() {
        let (kept, count) = (Kept::new(), Cell::new(0));
        // A life below five minutes: it is over for the next one who asks, not for those who waited.
        let values = join_all((0..5).map(|_| fetch(&kept, &count, 60))).await;
        assert_eq!(values, vec![Ok(1); 5]);
        assert_eq!(fetch(&kept, &count, 3600).await, Ok(2));
        assert_eq!(fetch(&kept, &count, 3600).await, Ok(2));
    }

    #[tokio::test]
    async fn one_failure_serves_all_who_wait_and_is_not_kept() {
        let (kept, count) = (Kept::<u32>::new(), Cell::new(0));
        let fail = || async {
            tokio::task::yield_now().await;
            count.set(count.get() + 1);
            Err(failure())
        };
        let values = join_all((0..5).map(|_| kept.get(fail))).await;
        assert_eq!((values, count.get()), (vec![Err(failure()); 5], 1));
        assert_eq!(fetch(&kept, &count, 60).await, Ok(2));
        // What is still valid is used when the next fetch fails.
        assert_eq!(kept.get(fail).await, Ok(2));
    }

    #[test]
    fn places_are_told_apart_by_what_leads_to_them() {
        let env = |id: &str| BTreeMap::from([("AZURE_CLIENT_ID".to_owned(), id.to_owned())]);
        let places = Places::<u32>::new();
        let place = |id: &str, settings: &str| places.place(&env(id), &["AZURE_"], settings);
        assert!(Rc::ptr_eq(&place("a", ""), &place("a", "")));
        assert!(!Rc::ptr_eq(&place("a", ""), &place("b", "")));
        assert!(!Rc::ptr_eq(&place("a", ""), &place("a", "given")));
    }
}
