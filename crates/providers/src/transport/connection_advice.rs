//! Explains failed connections: message, advice, and whether a retry can help.

use std::time::{Duration, SystemTime};

use reqwest::Url;
use rustls::CertificateError;

use super::cause::{Cause, cause};
use crate::{address::is_loopback, catalog::Service};
use lmthing_system::http::{CONNECT_TIMEOUT, Network, Proxy};

const ADD_CERTIFICATES: &str = "Set SSL_CERT_FILE or NODE_EXTRA_CA_CERTS to a file in PEM form that holds";

#[derive(Debug)]
pub(super) struct Advice {
    pub message: String,
    pub hint: Option<String>,
    pub repeat: Repeat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Repeat {
    Never,
    /// Name look-ups sometimes fail by accident.
    Once,
    AsUsual,
}

pub(super) struct Route<'a> {
    provider: &'a str,
    url: &'a Url,
    proxy: Option<Proxy>,
}

impl<'a> Route<'a> {
    pub(super) fn new(provider: &'a str, url: &'a Url, network: &Network) -> Self {
        Route { provider, url, proxy: network.proxy_for(url) }
    }

    /// Must be redacted, as a proxy may echo what it received.
    pub(super) fn secrets(&self) -> Vec<String> {
        self.proxy.as_ref().map(Proxy::secrets).unwrap_or_default()
    }

    pub(super) fn not_connected(&self, error: &reqwest::Error) -> Advice {
        let cause = cause(error);
        match &self.proxy {
            Some(proxy) => self.through_proxy(proxy, &cause).unwrap_or_else(|| self.direct(&cause)),
            None => self.direct(&cause),
        }
    }

    /// Message and advice for a status that may come from a proxy or another server, where those of the status are
    /// not enough.
    pub(super) fn status_advice(&self, status: u16, message: &str) -> (Option<String>, Option<String>) {
        let contains = |words: &str| message.to_ascii_lowercase().contains(words);
        let plain = ["plain http request was sent to https", "http request to an https server", "speaking plain http"];
        match &self.proxy {
            Some(proxy) if status == 407 => {
                let Advice { message, hint, .. } = proxy_authentication(proxy);
                (Some(message), hint)
            }
            Some(proxy) if matches!(status, 502..=504) && self.url.scheme() == "http" => {
                let shown = proxy_name(proxy);
                (None, Some(format!("It came through {shown}, which may have sent it. {}", self.bypass_hint(proxy))))
            }
            _ if status == 400 && plain.iter().any(|words| contains(words)) => {
                (None, Some(capitalized(&self.use_scheme("https"))))
            }
            _ => (None, None),
        }
    }

    fn host(&self) -> String {
        let port = self.url.port().map(|port| format!(":{port}")).unwrap_or_default();
        format!("{}{port}", self.url.host_str().unwrap_or_default())
    }

    fn is_loopback(&self) -> bool {
        is_loopback(self.url)
    }

    fn use_scheme(&self, scheme: &str) -> String {
        format!("use {scheme}:// in the base URL ({scheme}://{}/…).", self.host())
    }

    /// The advice if the proxy is the cause; `None` if the failure is behind it.
    fn through_proxy(&self, proxy: &Proxy, cause: &Cause) -> Option<Advice> {
        let what = match cause {
            Cause::ProxyPassword => return Some(proxy_authentication(proxy)),
            Cause::ProxyRefused(words) => {
                let message =
                    format!("{} did not connect to {}: {words}", capitalized(&proxy_name(proxy)), self.host());
                return Some(Advice { message, hint: Some(self.bypass_hint(proxy)), repeat: Repeat::AsUsual });
            }
            Cause::Refused => "Connection refused".to_owned(),
            Cause::UnknownHost => "the host name is not known".to_owned(),
            Cause::TimedOut => no_connection_in_time(),
            Cause::Unreachable => "the network is unreachable".to_owned(),
            Cause::Closed => "it closed the connection".to_owned(),
            Cause::NoHttp => "it does not speak HTTP".to_owned(),
            Cause::NoTls | Cause::Certificate(_) | Cause::Other(_) => return None,
        };
        let repeat = match cause {
            Cause::UnknownHost => Repeat::Once,
            Cause::NoHttp => Repeat::Never,
            _ => Repeat::AsUsual,
        };
        let message = format!("Cannot connect to {}: {what}", proxy_name(proxy));
        Some(Advice { message, hint: Some(format!("Is the proxy right? {}", self.bypass_hint(proxy))), repeat })
    }

    fn bypass_hint(&self, proxy: &Proxy) -> String {
        let host = self.url.host_str().unwrap_or_default();
        let hosts = if self.is_loopback() { "localhost,127.0.0.1" } else { host };
        format!("To go without it, set NO_PROXY={hosts} or unset {}.", proxy.variable)
    }

    fn direct(&self, cause: &Cause) -> Advice {
        let host = self.host();
        let (what, hint, repeat) = match cause {
            Cause::Refused => ("Connection refused".to_owned(), Some(self.start_hint()), Repeat::AsUsual),
            Cause::UnknownHost => {
                let hint = "Is the base URL right, and is this machine online? In a closed network a proxy may be needed \
                            (HTTPS_PROXY).";
                ("the host name is not known".to_owned(), Some(hint.to_owned()), Repeat::Once)
            }
            Cause::TimedOut if self.url.scheme() == "https" && self.is_loopback() => {
                // Connecting to this machine is fast, so something listens and waits for a plain request.
                let hint = format!("If the server does not speak TLS, {}", self.use_scheme("http"));
                (no_connection_in_time(), Some(hint), Repeat::Never)
            }
            Cause::TimedOut | Cause::Unreachable => {
                let what = if *cause == Cause::TimedOut {
                    no_connection_in_time()
                } else {
                    "the host cannot be reached".to_owned()
                };
                let hint = "Is the base URL right, and is this machine online? A firewall may stand in between, or a proxy \
                            be needed (HTTPS_PROXY).";
                (what, Some(hint.to_owned()), Repeat::AsUsual)
            }
            Cause::NoTls => {
                let what = "the server does not speak TLS on this port".to_owned();
                (what, Some(capitalized(&self.use_scheme("http"))), Repeat::Never)
            }
            Cause::Certificate(error) => self.certificate(error),
            Cause::NoHttp => {
                let hint = format!("Is the port right? If the server speaks TLS, {}", self.use_scheme("https"));
                let hint = if self.url.scheme() == "http" { hint } else { "Is the port right?".to_owned() };
                ("what answers there does not speak HTTP".to_owned(), Some(hint), Repeat::Never)
            }
            Cause::Closed => {
                let (speaks, scheme) =
                    if self.url.scheme() == "http" { ("speaks TLS", "https") } else { ("speaks no TLS", "http") };
                let hint = format!("If the server {speaks} on this port, {}", self.use_scheme(scheme));
                ("the server closed the connection without an answer".to_owned(), Some(hint), Repeat::AsUsual)
            }
            Cause::ProxyPassword => ("a proxy wants a password".to_owned(), None, Repeat::Never),
            Cause::ProxyRefused(words) | Cause::Other(words) => (words.clone(), None, Repeat::AsUsual),
        };
        Advice { message: format!("Cannot connect to API: {what} ({host})"), hint, repeat }
    }

    fn start_hint(&self) -> String {
        let host = self.host();
        let own = Service::named(self.provider).or_else(|| Service::on_port(self.url.port()?));
        match own.and_then(|service| service.start).filter(|_| self.is_loopback()) {
            Some(start) => format!("Nothing listens at {host}. Is the server running? Start it with: {start}"),
            None if self.is_loopback() => {
                format!("Nothing listens at {host}. Is the server running, and the port right?")
            }
            None => format!("Nothing listens at {host}. Are host and port of the base URL right?"),
        }
    }

    fn certificate(&self, error: &CertificateError) -> (String, Option<String>, Repeat) {
        let (what, hint) = match error {
            CertificateError::UnknownIssuer => {
                let hint = format!("{ADD_CERTIFICATES} that authority's certificate.");
                ("the server's certificate is from an authority that is not known here".to_owned(), Some(hint))
            }
            CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
                let since = match error {
                    CertificateError::ExpiredContext { not_after, .. } => format!(" ({})", date(not_after.as_secs())),
                    _ => String::new(),
                };
                let hint = "The server needs a new one. If it is valid, the clock of this machine is wrong.";
                (format!("the server's certificate has expired{since}"), Some(hint.to_owned()))
            }
            CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
                let hint = "Is the clock of this machine right?";
                ("the server's certificate is not valid yet".to_owned(), Some(hint.to_owned()))
            }
            CertificateError::NotValidForName => {
                ("the server's certificate is for another host".to_owned(), Some(other_host(&[])))
            }
            CertificateError::NotValidForNameContext { presented, .. } => {
                ("the server's certificate is for another host".to_owned(), Some(other_host(presented)))
            }
            // A CA certificate used by a server is usually a self-signed one.
            CertificateError::Other(other) if other.to_string().contains("CaUsedAsEndEntity") => {
                let hint = format!("{ADD_CERTIFICATES} this very certificate.");
                ("the server's certificate is signed by itself".to_owned(), Some(hint))
            }
            other => (format!("the server's certificate is not accepted: {other}"), None),
        };
        (what, hint, Repeat::Never)
    }
}

fn other_host(names: &[String]) -> String {
    let bare = |name: &String| {
        let inner = name.split_once('(').and_then(|(_, rest)| rest.strip_suffix(')')).unwrap_or(name);
        inner.trim_matches('"').to_owned()
    };
    match names {
        [] => "Is the host in the base URL the right one?".to_owned(),
        names => format!(
            "It names {}; use one of these in the base URL.",
            names.iter().map(bare).collect::<Vec<_>>().join(", ")
        ),
    }
}

fn no_connection_in_time() -> String {
    format!("no connection within {} s", CONNECT_TIMEOUT.as_secs())
}

fn proxy_name(proxy: &Proxy) -> String {
    format!("the proxy {} ({})", proxy.host(), proxy.variable)
}

fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_ascii_uppercase().to_string() + letters.as_str()).unwrap_or_default()
}

fn proxy_authentication(proxy: &Proxy) -> Advice {
    let (shown, variable) = (proxy_name(proxy), proxy.variable);
    let (what, hint) = if proxy.has_password() {
        (
            "does not accept the user name and password",
            format!("Correct them in {variable}; `@`, `:` and `/` in them are written as %40, %3A and %2F."),
        )
    } else {
        (
            "wants a user name and a password",
            format!("Put them into {variable}, in front of the host: {}.", proxy.with_placeholders()),
        )
    };
    Advice { message: format!("{} {what}", capitalized(&shown)), hint: Some(hint), repeat: Repeat::Never }
}

fn date(seconds: u64) -> String {
    httpdate::fmt_http_date(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds))
}
