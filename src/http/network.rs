//! The variables that decide how connections are made, as a run has them.

use std::{collections::BTreeMap, path::PathBuf};

use url::Url;

use super::proxy::{Proxies, Proxy};

/// The variables with addresses of proxies, in which passwords may stand. Of a pair, the name in lower case goes first, as
/// with curl.
pub(crate) const PROXY_VARIABLES: [&str; 6] =
    ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"];

/// The other variables that are looked at.
const OTHER_VARIABLES: [&str; 4] = ["no_proxy", "NO_PROXY", SSL_CERT_FILE, NODE_EXTRA_CA_CERTS];

const SSL_CERT_FILE: &str = "SSL_CERT_FILE";
const NODE_EXTRA_CA_CERTS: &str = "NODE_EXTRA_CA_CERTS";

/// How connections are made: through which proxies, and whose certificates are believed.
///
/// It is read from the run's environment and not from the process's: what stands in `.env` counts, and what a script has
/// written to `process.env`.
#[derive(Clone, Default, PartialEq, Eq)]
pub(crate) struct Network {
    /// Those that are set and not empty.
    variables: BTreeMap<&'static str, String>,
}

impl Network {
    /// Reads the variables.
    pub(crate) fn new(variable: impl Fn(&str) -> Option<String>) -> Self {
        let set = |name| Some((name, variable(name).filter(|value| !value.trim().is_empty())?));
        Network { variables: PROXY_VARIABLES.into_iter().chain(OTHER_VARIABLES).filter_map(set).collect() }
    }

    /// The proxy that a request for this address goes through; none as well when the variable is wrong, which
    /// [`super::http_client`] has said.
    pub(crate) fn proxy_of(&self, url: &Url) -> Option<Proxy> {
        self.proxies().ok()?.of(url).cloned()
    }

    pub(super) fn proxies(&self) -> Result<Proxies, String> {
        Proxies::new(|name| self.variables.get_key_value(name).map(|(name, value)| (*name, value.as_str())))
    }

    /// The files with certificates to believe beside the platform's, each with the variable that names it.
    pub(crate) fn certificate_files(&self) -> Vec<(&'static str, PathBuf)> {
        let file = |name| Some((name, PathBuf::from(self.variables.get(name)?.trim())));
        [SSL_CERT_FILE, NODE_EXTRA_CA_CERTS].into_iter().filter_map(file).collect()
    }
}
