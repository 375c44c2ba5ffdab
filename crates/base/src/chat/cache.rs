//! The prompt cache of a provider: `options.cache` (docs/reference/model-settings.md#prompt-caching).

use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

/// `options.cache`. Unset means on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CacheOption {
    Off,
    /// `true` sets neither.
    On {
        ttl: Option<CacheTtl>,
        key: Option<String>,
    },
}

/// How long a provider should keep what it has read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheTtl {
    FiveMinutes,
    OneHour,
    /// The longest that the provider has.
    Long,
}

impl CacheTtl {
    /// The values of `options.cache.ttl`.
    pub const NAMES: [(&str, CacheTtl); 3] =
        [("5m", CacheTtl::FiveMinutes), ("1h", CacheTtl::OneHour), ("long", CacheTtl::Long)];

    pub fn name(self) -> &'static str {
        CacheTtl::NAMES.iter().find(|(_, ttl)| *ttl == self).map_or("", |(name, _)| name)
    }

    pub fn from_name(name: &str) -> Option<Self> {
        CacheTtl::NAMES.iter().find(|(known, _)| *known == name).map(|(_, ttl)| *ttl)
    }
}

impl CacheOption {
    /// The longest key that OpenAI takes.
    pub const MAX_KEY: usize = 64;

    pub fn ttl(&self) -> Option<CacheTtl> {
        match self {
            CacheOption::On { ttl, .. } => *ttl,
            CacheOption::Off => None,
        }
    }

    pub fn key(&self) -> Option<&str> {
        match self {
            CacheOption::On { key, .. } => key.as_deref(),
            CacheOption::Off => None,
        }
    }

    /// Whether the author asks for more than a cache.
    pub fn is_detailed(&self) -> bool {
        self.ttl().is_some() || self.key().is_some()
    }

    pub fn to_json(&self) -> Value {
        if !self.is_detailed() {
            return (*self != CacheOption::Off).into();
        }
        let ttl = self.ttl().map(|ttl| ("ttl".to_owned(), ttl.name().into()));
        let key = self.key().map(|key| ("key".to_owned(), key.into()));
        Value::Object(Map::from_iter(ttl.into_iter().chain(key)))
    }
}

/// A key for the requests of a run. Neither file nor run can be read from it.
pub fn cache_key_of_run(file: &str, run: &str) -> String {
    let digest = Sha256::digest(format!("{file}\0{run}"));
    let hex: String = digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    format!("lmthing-{hex}")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn settings_are_written_as_they_were_given() {
        let on = |ttl, key: Option<&str>| CacheOption::On { ttl, key: key.map(str::to_owned) }.to_json();
        assert_eq!((CacheOption::Off.to_json(), on(None, None)), (json!(false), json!(true)));
        assert_eq!(on(Some(CacheTtl::Long), None), json!({ "ttl": "long" }));
        assert_eq!(on(Some(CacheTtl::OneHour), Some("k")), json!({ "ttl": "1h", "key": "k" }));
    }

    #[test]
    fn a_key_depends_on_file_and_run_and_shows_neither() {
        let key = cache_key_of_run("report.lmt.mjs", "019f");
        assert_eq!(key, cache_key_of_run("report.lmt.mjs", "019f"));
        assert_ne!(key, cache_key_of_run("report.lmt.mjs", "019e"));
        assert_ne!(key, cache_key_of_run("letter.lmt.mjs", "019f"));
        assert!(key.len() <= CacheOption::MAX_KEY && !key.contains("report") && !key.contains("019f"), "{key}");
    }
}
