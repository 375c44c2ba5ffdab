//! Base URLs as users write them. No text made here contains a password or a secret of a query.

use std::fmt;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use percent_encoding::percent_decode_str;
use reqwest::Url;
use url::Host;

use super::redact::{names_a_secret, split_scheme};

/// Endpoints that users often copy along with the base URL.
const ENDPOINTS: [&str; 5] = ["/chat/completions", "/completions", "/responses", "/messages", "/converse-stream"];

#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Address {
    origin: String,
    path: String,
    query: String,
    user: Option<User>,
}

#[derive(Clone, PartialEq, Eq)]
struct User {
    name: String,
    password: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AddressError {
    pub what: String,
    pub hint: Option<String>,
}

pub(crate) fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(address)) => address.is_loopback() || address.is_unspecified(),
        Some(Host::Ipv6(address)) => address.is_loopback() || address.is_unspecified(),
        None => false,
    }
}

impl Address {
    pub(crate) fn parse(text: &str) -> Result<Address, AddressError> {
        let text = text.trim();
        let shown = shown(text);
        match split_scheme(text) {
            Some((scheme, _)) if ["http", "https"].iter().any(|known| scheme.eq_ignore_ascii_case(known)) => {}
            Some((scheme, _)) => {
                let what = format!("\"{shown}\" has the scheme \"{scheme}\", and only http and https are spoken");
                return Err(AddressError { what, hint: intended_url(scheme, &shown) });
            }
            None => {
                let what = format!("\"{shown}\" has no scheme such as https://");
                return Err(AddressError { what, hint: Some(format!("Did you mean {}?", with_scheme(&shown))) });
            }
        }
        let url = Url::parse(text)
            .map_err(|error| AddressError { what: format!("\"{shown}\" is not usable: {error}"), hint: None })?;
        let user = User { name: url.username().to_owned(), password: url.password().unwrap_or_default().to_owned() };
        let segments = url.path().split('/').filter(|segment| !segment.is_empty());
        Ok(Address {
            origin: url.origin().ascii_serialization(),
            path: segments.map(|segment| format!("/{segment}")).collect(),
            query: url.query().unwrap_or_default().to_owned(),
            user: (!user.name.is_empty() || !user.password.is_empty()).then_some(user),
        })
    }

    pub(crate) fn is_loopback(&self) -> bool {
        Url::parse(&self.origin).is_ok_and(|url| is_loopback(&url))
    }

    /// Whether the host is that of a base URL, which may have a placeholder in it, or one of its subdomains.
    pub(crate) fn is_host_of(&self, base_url: &str) -> bool {
        let host =
            |url: &str| url.split_once("://").and_then(|(_, rest)| rest.split(['/', ':']).next()).map(str::to_owned);
        let (Some(own), Some(usual)) = (host(&self.origin), host(base_url)) else { return false };
        match (usual.find('{'), usual.rfind('}')) {
            (Some(start), Some(end)) => own.starts_with(&usual[..start]) && own.ends_with(&usual[end + 1..]),
            _ => own.strip_suffix(&usual).is_some_and(|rest| rest.is_empty() || rest.ends_with('.')),
        }
    }

    /// The URL of an endpoint, given as `path?query`. An endpoint or a version that the base URL already ends with is
    /// not repeated. Query parameters of the base URL win over those of the endpoint.
    pub(crate) fn join(&self, endpoint: &str) -> Result<Url, AddressError> {
        let (path, query) = endpoint.split_once('?').unwrap_or((endpoint, ""));
        let base = self.path.strip_suffix(path).unwrap_or(&self.path);
        let base = if path.starts_with("/v1/") { base.strip_suffix("/v1").unwrap_or(base) } else { base };
        if let Some(other) = ENDPOINTS.iter().find(|other| base.ends_with(**other)) {
            let what = format!("\"{self}\" ends in {other}, but the endpoint that is asked is {path}");
            let mut hint = format!("End it before {other}; an endpoint is put behind it by itself.");
            if path.ends_with("/responses") && *other == "/chat/completions" {
                hint += " A server that speaks chat completions only is set up as a custom provider: NAME_API_BASE and \
                         NAME_API_TYPE=openai.";
            }
            return Err(AddressError { what, hint: Some(hint) });
        }
        let mut url = format!("{}{base}{path}", self.origin);
        let query = merged(&self.query, query);
        if !query.is_empty() {
            url = format!("{url}?{query}");
        }
        Url::parse(&url)
            .map_err(|error| AddressError { what: format!("\"{self}\" is not usable: {error}"), hint: None })
    }

    pub(crate) fn basic_authentication(&self) -> Option<(String, String)> {
        self.user.as_ref().map(|user| ("authorization".to_owned(), format!("Basic {}", user.encoded())))
    }

    pub(crate) fn secrets(&self) -> Vec<String> {
        let pairs = self.query.split('&').filter_map(|pair| pair.split_once('='));
        let values = pairs.filter(|(name, _)| is_secret_parameter(name));
        let mut secrets: Vec<String> = values.flat_map(|(_, value)| [decoded(value), value.to_owned()]).collect();
        if let Some(user) = &self.user {
            secrets.extend([user.encoded(), decoded(&user.password), user.password.clone()]);
        }
        secrets.retain(|secret| !secret.is_empty());
        secrets
    }

    /// With the parameters that are no secrets.
    pub(crate) fn without_secrets(&self) -> String {
        format!("{self}?{}", public_pairs(&self.query).collect::<Vec<_>>().join("&"))
    }
}

impl User {
    fn encoded(&self) -> String {
        STANDARD.encode(format!("{}:{}", decoded(&self.name), decoded(&self.password)))
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.origin, self.path)
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Address({self})")
    }
}

/// The pairs of a query whose values are no secrets by their names.
pub(crate) fn public_pairs(query: &str) -> impl Iterator<Item = &str> {
    query.split('&').filter(|pair| !pair.is_empty() && !is_secret_parameter(pair.split('=').next().unwrap_or_default()))
}

fn is_secret_parameter(name: &str) -> bool {
    let name = decoded(name);
    names_a_secret(&name) || name == "sig"
}

fn decoded(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}

fn merged(first: &str, second: &str) -> String {
    let name = |pair: &str| decoded(pair.split('=').next().unwrap_or_default());
    let own: Vec<&str> = first.split('&').filter(|pair| !pair.is_empty()).collect();
    let added = second.split('&').filter(|pair| !pair.is_empty() && !own.iter().any(|known| name(known) == name(pair)));
    own.iter().copied().chain(added).collect::<Vec<_>>().join("&")
}

/// The text without possible secrets. The text may not be a URL, so everything before the last `@` counts as user
/// name and password.
fn shown(text: &str) -> String {
    let (scheme, rest) = match split_scheme(text) {
        Some((scheme, rest)) => (format!("{scheme}://"), rest),
        None => (String::new(), text),
    };
    let (before, rest) = rest.rsplit_once('@').unwrap_or(("", rest));
    // An `@` in a query may be part of a key.
    let rest = if before.contains(['?', '#']) { "…" } else { rest };
    let rest = rest.split(['?', '#']).next().unwrap_or_default();
    // The text before this is not a scheme, but possibly `me:password`.
    let rest = rest.rsplit_once("://").map_or(rest, |(_, rest)| rest);
    format!("{scheme}{rest}")
}

fn intended_url(scheme: &str, shown: &str) -> Option<String> {
    let scheme = scheme.to_ascii_lowercase();
    let right = match scheme.as_str() {
        "ws" => "http",
        "wss" => "https",
        _ => ["https", "http"].into_iter().min_by_key(|known| strsim::damerau_levenshtein(known, &scheme))?,
    };
    // `ftp` and the like are no typing errors.
    let distance = strsim::damerau_levenshtein(right, &scheme);
    let near = scheme.starts_with("ws") || distance == 1 || (distance == 2 && scheme.starts_with('h'));
    let rest = shown.split_once("://").map_or("", |(_, rest)| rest);
    near.then(|| format!("Did you mean {right}://{rest}?"))
}

/// Adds the most likely scheme: servers on this machine, in the local network and on unusual ports seldom use TLS.
fn with_scheme(shown: &str) -> String {
    let lower = shown.to_ascii_lowercase();
    for scheme in ["https", "http"] {
        if let Some(rest) = lower.strip_prefix(scheme)
            && rest.starts_with([':', '/'])
        {
            return format!("{scheme}://{}", shown[scheme.len()..].trim_start_matches([':', '/']));
        }
    }
    let rest = shown.trim_start_matches([':', '/']);
    let authority = rest.split('/').next().unwrap_or_default();
    let (host, port) = authority.split_once(':').unwrap_or((authority, ""));
    let is_plain =
        !port.is_empty() && port != "443" || host == "localhost" || host.parse::<std::net::Ipv4Addr>().is_ok();
    format!("{}://{rest}", if is_plain { "http" } else { "https" })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(base: &str, endpoint: &str) -> String {
        Address::parse(base).unwrap().join(endpoint).unwrap().to_string()
    }

    fn fault(base: &str) -> (String, String) {
        let fault = Address::parse(base).unwrap_err();
        (fault.what, fault.hint.unwrap_or_default())
    }

    #[test]
    fn an_endpoint_is_inserted_between_path_and_query() {
        let chat = "/chat/completions?api-version=1.0.0";
        for (base, url) in [
            ("http://h:1/v1", "http://h:1/v1/chat/completions?api-version=1.0.0"),
            (" http://h:1/v1/// \n", "http://h:1/v1/chat/completions?api-version=1.0.0"),
            ("http://h:1//a//v1", "http://h:1/a/v1/chat/completions?api-version=1.0.0"),
            ("http://h:1", "http://h:1/chat/completions?api-version=1.0.0"),
            ("http://h:1/v1/?x=1&y#z", "http://h:1/v1/chat/completions?x=1&y&api-version=1.0.0"),
            ("http://h:1/v1?api-version=2024-06-01", "http://h:1/v1/chat/completions?api-version=2024-06-01"),
            ("http://h:1/v1/chat/completions", "http://h:1/v1/chat/completions?api-version=1.0.0"),
            ("HTTP://u:p@h:1/v1", "http://h:1/v1/chat/completions?api-version=1.0.0"),
        ] {
            assert_eq!(joined(base, chat), url, "{base}");
        }
        assert_eq!(
            joined("https://r.openai.azure.com/openai/v1/", "/v1/responses?api-version=v1"),
            "https://r.openai.azure.com/openai/v1/responses?api-version=v1"
        );
        assert_eq!(joined("http://h/", "/model/a%3Ab%2Fc/converse-stream"), "http://h/model/a%3Ab%2Fc/converse-stream");
        let other = Address::parse("http://h/v1/chat/completions").unwrap().join("/responses").unwrap_err();
        assert!(other.what.contains("ends in /chat/completions"), "{other:?}");
    }

    #[test]
    fn hosts_of_a_provider_are_known() {
        let is_of = |address: &str, usual: &str| Address::parse(address).unwrap().is_host_of(usual);
        let openai = "https://api.openai.com/v1";
        assert!(is_of("https://api.openai.com/v1", openai) && is_of("https://eu.api.openai.com", openai));
        let (azure, bedrock) =
            ("https://{resource}.openai.azure.com/openai", "https://bedrock-runtime.{region}.amazonaws.com");
        assert!(is_of("https://mine.openai.azure.com/openai", azure) && !is_of("https://x.cloudapp.azure.com", azure));
        assert!(is_of("https://bedrock-runtime.eu-west-1.amazonaws.com", bedrock));
        assert!(!is_of("https://x.execute-api.us-east-1.amazonaws.com", bedrock));
        assert!(!is_of("https://api.openai.com.example.org/v1", openai) && !is_of("http://localhost:4000/v1", openai));
        assert!(!is_of("https://my-api.openai.com", openai) && !is_of("http://10.0.0.1", ""));
    }

    #[test]
    fn invalid_addresses_are_refused_with_advice_and_without_secrets() {
        for (base, meant) in [
            ("localhost:11434/v1", "http://localhost:11434/v1"),
            ("127.0.0.1:8000", "http://127.0.0.1:8000"),
            ("example.com/v1", "https://example.com/v1"),
            ("me:hunter2@example.com/v1?key=hunter2", "https://example.com/v1"),
            ("htp://me:hunter2@h/v1", "http://h/v1"),
            ("htps://h/v1", "https://h/v1"),
            ("wss://h/v1", "https://h/v1"),
            ("http:/h/v1", "http://h/v1"),
            ("https//h/v1", "https://h/v1"),
            ("//h:80", "http://h:80"),
            ("me:hunter2@h/v1?next=https://x", "https://h/v1"),
            ("me:hunter2@h/https://x", "https://x"),
            ("me:hunter2://h", "https://h"),
            ("h/v1?key=a@hunter2", "https://…"),
        ] {
            let (what, hint) = fault(base);
            assert_eq!(hint, format!("Did you mean {meant}?"), "{base}: {what}");
            assert!(!what.contains("hunter2"), "{what}");
        }
        assert_eq!(fault("ftp://files.test").1, "");
        for base in ["http://me:hun/ter2@h/v1", "http://h:99999/v1?key=hun", "http://[::1/v1", "http://a b/v1"] {
            let (what, _) = fault(base);
            assert!(what.contains("is not usable") && !what.contains("hun"), "{what}");
        }
    }

    #[test]
    fn user_and_password_make_a_header_and_are_secrets() {
        let address = Address::parse("https://ada:p%40ss%20word@h/v1?sig=abc%2Fdef&v=1").unwrap();
        let header = address.basic_authentication().unwrap();
        assert_eq!(header, ("authorization".to_owned(), "Basic YWRhOnBAc3Mgd29yZA==".to_owned()));
        let secrets = address.secrets();
        for secret in ["p@ss word", "p%40ss%20word", "YWRhOnBAc3Mgd29yZA==", "abc/def"] {
            assert!(secrets.iter().any(|known| known == secret), "{secret}: {secrets:?}");
        }
        assert!(!secrets.contains(&"1".to_owned()));
        assert_eq!(format!("{address:?}"), "Address(https://h/v1)");
    }
}
