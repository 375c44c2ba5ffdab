//! The variables of a run that determine how connections are made.

use std::{collections::BTreeMap, path::PathBuf};

use url::Url;

use super::proxy::{InvalidProxy, Proxies, Proxy};

/// The variables with addresses of proxies, which may contain passwords. Of a pair, the lower-case name has precedence, as in
/// curl.
pub const PROXY_VARIABLES: [&str; 6] =
    ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"];

const OTHER_VARIABLES: [&str; 4] = ["no_proxy", "NO_PROXY", SSL_CERT_FILE, NODE_EXTRA_CA_CERTS];

const SSL_CERT_FILE: &str = "SSL_CERT_FILE";
const NODE_EXTRA_CA_CERTS: &str = "NODE_EXTRA_CA_CERTS";

/// How connections are made: through which proxies, and with which certificates.
///
/// This is read from the environment of the run, not of the process, so that it includes `.env` and changes of `process.env`.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Network {
    variables: BTreeMap<&'static str, String>,
}

impl Network {
    pub fn new(variable: impl Fn(&str) -> Option<String>) -> Self {
        let set = |name| Some((name, variable(name).filter(|value| !value.trim().is_empty())?));
        Network { variables: PROXY_VARIABLES.into_iter().chain(OTHER_VARIABLES).filter_map(set).collect() }
    }

    /// The proxy for requests to this address; `None` also if the variable is invalid, which [`super::http_client`] reports.
    pub fn proxy_for(&self, url: &Url) -> Option<Proxy> {
        self.proxies().ok()?.of(url).cloned()
    }

    pub(super) fn proxies(&self) -> Result<Proxies, InvalidProxy> {
        Proxies::new(|name| self.variables.get_key_value(name).map(|(name, value)| (*name, value.as_str())))
    }

    /// The files with certificates in addition to the platform's, each with its variable.
    pub fn certificate_files(&self) -> Vec<(&'static str, PathBuf)> {
        let file = |name| Some((name, PathBuf::from(self.variables.get(name)?.trim())));
        [SSL_CERT_FILE, NODE_EXTRA_CA_CERTS].into_iter().filter_map(file).collect()
    }
}
