//! Caches credentials until shortly before they expire; concurrent requests share one fetch.

use std::{
    cell::{Cell, RefCell},
    collections::HashMap,
    rc::Rc,
    time::{Duration, Instant, SystemTime},
};

use tokio::sync::Mutex;

use super::request::AuthFailure;
use crate::Env;

const REFRESH_MARGIN: Duration = Duration::from_secs(300);

/// After a failed fetch, credentials that are still valid are used this long before the next attempt.
const RETRY_DELAY: Duration = Duration::from_secs(30);

const MAX_LIFETIME: Duration = Duration::from_secs(86_400);

#[derive(Clone)]
pub(super) struct Expiring<T> {
    value: T,
    expires_at: Instant,
}

impl<T> Expiring<T> {
    pub(super) fn valid_for(value: T, lifetime: Duration) -> Self {
        Expiring { value, expires_at: Instant::now() + lifetime.min(MAX_LIFETIME) }
    }

    pub(super) fn valid_until(value: T, expires_at: SystemTime) -> Self {
        Expiring::valid_for(value, expires_at.duration_since(SystemTime::now()).unwrap_or_default())
    }

    pub(super) fn value(&self) -> &T {
        &self.value
    }

    pub(super) fn map<U>(self, change: impl FnOnce(T) -> U) -> Expiring<U> {
        Expiring { value: change(self.value), expires_at: self.expires_at }
    }
}

struct Entry<T> {
    fetched: Expiring<T>,
    fetch_again_at: Instant,
}

pub(super) struct CredentialCache<T> {
    entry: RefCell<Option<Entry<T>>>,
    failure: RefCell<Option<AuthFailure>>,
    /// Number of fetches that have ended. Callers that waited meanwhile use the result of the last one.
    fetch_count: Cell<u64>,
    fetch_lock: Mutex<()>,
    secrets: Secrets,
}

impl<T: Clone> CredentialCache<T> {
    fn new() -> Self {
        CredentialCache {
            entry: RefCell::new(None),
            failure: RefCell::new(None),
            fetch_count: Cell::new(0),
            fetch_lock: Mutex::new(()),
            secrets: Secrets::default(),
        }
    }

    pub(super) async fn get<F>(&self, fetch: impl FnOnce() -> F) -> Result<T, AuthFailure>
    where
        F: Future<Output = Result<Expiring<T>, AuthFailure>>,
    {
        if let Some(value) = self.fresh() {
            return Ok(value);
        }
        let count = self.fetch_count.get();
        let _guard = self.fetch_lock.lock().await;
        // Many agents may start at once: they need one token, or get the same failure.
        if self.fetch_count.get() != count {
            return self
                .valid()
                .ok_or_else(|| self.failure.borrow().clone().unwrap_or_else(AuthFailure::expired_while_waiting));
        }
        let fetched = fetch().await;
        self.fetch_count.set(count + 1);
        match fetched {
            Ok(fetched) => {
                let lifetime = fetched.expires_at.saturating_duration_since(Instant::now());
                let fetch_again_at = Instant::now() + lifetime.saturating_sub(REFRESH_MARGIN);
                let value = fetched.value.clone();
                self.entry.replace(Some(Entry { fetched, fetch_again_at }));
                Ok(value)
            }
            Err(failure) => {
                self.failure.replace(Some(failure.clone()));
                let value = self.valid().ok_or(failure)?;
                if let Some(entry) = self.entry.borrow_mut().as_mut() {
                    entry.fetch_again_at = Instant::now() + RETRY_DELAY;
                }
                Ok(value)
            }
        }
    }

    fn fresh(&self) -> Option<T> {
        let entry = self.entry.borrow();
        entry.as_ref().filter(|entry| Instant::now() < entry.fetch_again_at).map(|entry| entry.fetched.value.clone())
    }

    fn valid(&self) -> Option<T> {
        let entry = self.entry.borrow();
        entry
            .as_ref()
            .filter(|entry| Instant::now() < entry.fetched.expires_at)
            .map(|entry| entry.fetched.value.clone())
    }

    pub(super) fn secrets(&self) -> &Secrets {
        &self.secrets
    }
}

#[derive(Clone, Default)]
pub(super) struct Secrets(Rc<RefCell<Vec<String>>>);

impl Secrets {
    pub(super) fn add<S: AsRef<str>>(&self, secret: S) -> S {
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

pub(super) struct Caches<T>(RefCell<HashMap<String, Rc<CredentialCache<T>>>>);

impl<T: Clone> Caches<T> {
    pub(super) fn new() -> Self {
        Caches(RefCell::new(HashMap::new()))
    }

    /// The cache for these settings and the variables with these prefixes. Models of different agents share it, so
    /// that each does not request its own token.
    pub(super) fn cache_for(&self, env: &dyn Env, prefixes: &[&str], settings: &str) -> Rc<CredentialCache<T>> {
        let counts = |name: &String| {
            matches!(name.as_str(), "HOME" | "APPDATA" | "USERPROFILE")
                || prefixes.iter().any(|prefix| name.starts_with(prefix))
        };
        let mut names: Vec<String> = env.names().into_iter().filter(counts).collect();
        names.sort();
        let mut key = settings.to_owned();
        for name in names {
            // Values of variables cannot contain NUL.
            key.push_str(&format!("\0{name}\0{}", env.get(&name).unwrap_or_default()));
        }
        self.0.borrow_mut().entry(key).or_insert_with(|| Rc::new(CredentialCache::new())).clone()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use futures_util::future::join_all;

    use super::*;
    use crate::ProviderErrorKind;

    fn failure() -> AuthFailure {
        AuthFailure { kind: ProviderErrorKind::Authentication, message: "no".into(), hint: None }
    }

    async fn fetch(cache: &CredentialCache<u32>, count: &Cell<u32>, lifetime: u64) -> Result<u32, AuthFailure> {
        cache
            .get(|| async {
                tokio::task::yield_now().await;
                count.set(count.get() + 1);
                Ok(Expiring::valid_for(count.get(), Duration::from_secs(lifetime)))
            })
            .await
    }

    #[tokio::test]
    async fn one_fetch_serves_all_waiting_callers() {
        let (cache, count) = (CredentialCache::new(), Cell::new(0));
        // Less than `REFRESH_MARGIN`: the next call fetches again, but callers that waited share the value.
        let values = join_all((0..5).map(|_| fetch(&cache, &count, 60))).await;
        assert_eq!(values, vec![Ok(1); 5]);
        assert_eq!(fetch(&cache, &count, 3600).await, Ok(2));
        assert_eq!(fetch(&cache, &count, 3600).await, Ok(2));
    }

    #[tokio::test]
    async fn one_failure_serves_all_waiting_callers_and_is_not_cached() {
        let (cache, count) = (CredentialCache::<u32>::new(), Cell::new(0));
        let fail = || async {
            tokio::task::yield_now().await;
            count.set(count.get() + 1);
            Err(failure())
        };
        let values = join_all((0..5).map(|_| cache.get(fail))).await;
        assert_eq!((values, count.get()), (vec![Err(failure()); 5], 1));
        assert_eq!(fetch(&cache, &count, 60).await, Ok(2));
        assert_eq!(cache.get(fail).await, Ok(2));
    }

    #[test]
    fn caches_are_distinguished_by_settings() {
        let env = |id: &str| BTreeMap::from([("AZURE_CLIENT_ID".to_owned(), id.to_owned())]);
        let caches = Caches::<u32>::new();
        let place = |id: &str, settings: &str| caches.cache_for(&env(id), &["AZURE_"], settings);
        assert!(Rc::ptr_eq(&place("a", ""), &place("a", "")));
        assert!(!Rc::ptr_eq(&place("a", ""), &place("b", "")));
        assert!(!Rc::ptr_eq(&place("a", ""), &place("a", "given")));
    }
}
