//! Hosts with an optional port, as in `--allow-net`.

use std::net::IpAddr;

use thiserror::Error;

/// Allows one host, at one port or at any.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostRule {
    host: String,
    port: Option<u16>,
}

#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("'{text}' is no host: {reason}, such as example.org or example.org:443")]
pub struct InvalidHost {
    text: String,
    reason: &'static str,
}

impl HostRule {
    /// Reads `example.org`, `example.org:443`, `*.example.org`, `127.0.0.1:8080` or `[::1]:8080`.
    pub fn parse(text: &str) -> Result<Self, InvalidHost> {
        let wrong = |reason| Err(InvalidHost { text: text.to_owned(), reason });
        if text.contains("://") || text.contains('/') {
            return wrong("a host is meant, not an address");
        }
        let (host, port) = split(text);
        let has_port = text.parse::<IpAddr>().is_err() && !text.ends_with(']') && text.contains(':');
        if host.is_empty() || host.contains(|letter: char| letter.is_whitespace() || letter == '@') {
            return wrong("expected a name");
        }
        if has_port && port.is_none() {
            return wrong("behind the colon stands a port");
        }
        Ok(HostRule { host, port })
    }

    /// Whether the rule allows this host and port; a name that is only looked up has no port.
    pub(super) fn matches(&self, host: &str, port: Option<u16>) -> bool {
        let is_port = match (self.port, port) {
            (Some(wanted), Some(port)) => wanted == port,
            (None, _) | (_, None) => true,
        };
        let is_host = match self.host.strip_prefix("*.") {
            Some(domain) => host.strip_suffix(domain).is_some_and(|rest| rest.len() > 1 && rest.ends_with('.')),
            None => self.host == host,
        };
        is_port && is_host
    }
}

pub(super) fn split(place: &str) -> (String, Option<u16>) {
    let (scheme, place) = place.split_once("://").map_or((None, place), |(scheme, rest)| (Some(scheme), rest));
    let usual = scheme.map(|scheme| if matches!(scheme, "https" | "wss") { 443 } else { 80 });
    let whole = place.trim_start_matches('[').trim_end_matches(']');
    let (host, port) = match place.rsplit_once(':') {
        _ if whole.parse::<IpAddr>().is_ok() => (whole, usual),
        Some((host, port)) => (host, port.parse().ok()),
        None => (place, usual),
    };
    let host = host.trim_start_matches('[').trim_end_matches(']').trim_end_matches('.').to_ascii_lowercase();
    // An address has several spellings.
    let host = host.parse::<IpAddr>().map_or(host, |address| address.to_canonical().to_string());
    (host, port)
}

pub(super) fn shown(host: &str, port: Option<u16>) -> String {
    let host = if host.contains(':') { format!("[{host}]") } else { host.to_owned() };
    port.map_or(host.clone(), |port| format!("{host}:{port}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn host_and_port_are_split() {
        for (place, host, port) in [
            ("https://Example.org", "example.org", Some(443)),
            ("http://example.org:81", "example.org", Some(81)),
            ("http://[::1]:81", "::1", Some(81)),
            ("http://[::1]", "::1", Some(80)),
            ("127.0.0.1:80", "127.0.0.1", Some(80)),
            ("example.org.", "example.org", None),
            ("[::1]:80", "::1", Some(80)),
            ("[::ffff:127.0.0.1]:80", "127.0.0.1", Some(80)),
        ] {
            assert_eq!(split(place), (host.to_owned(), port), "{place}");
        }
    }

    #[test]
    fn a_rule_matches_only_its_host_and_port() {
        let is = |rule: &str, host: &str, port| HostRule::parse(rule).unwrap().matches(host, port);
        assert!(is("a.org", "a.org", Some(1)) && is("a.org:1", "a.org", Some(1)) && is("a.org:1", "a.org", None));
        assert!(!is("a.org:1", "a.org", Some(2)) && !is("a.org", "b.a.org", None) && !is("a.org", "xa.org", None));
        assert!(is("*.a.org", "b.a.org", None) && !is("*.a.org", "a.org", None) && !is("*.a.org", "xa.org", None));
        assert!(is("[::1]:8", "::1", Some(8)) && is("::1", "::1", Some(8)));
        for wrong in ["", "https://a.org", "a.org:x", "a.org/path", "a b"] {
            assert!(HostRule::parse(wrong).is_err(), "{wrong}");
        }
    }
}
