//! What the client's errors say about why there is no connection. The only place that knows how deep it is buried.

use std::{error::Error, io};

use rustls::{CertificateError, Error as TlsError, InvalidMessage};

/// Why no answer began.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Cause {
    /// Nothing listens there.
    Refused,
    UnknownHost,
    /// No answer while the connection was made.
    TimedOut,
    /// No way to the network or the host.
    Unreachable,
    /// TLS was spoken to, and something else came back.
    NoTls,
    Certificate(CertificateError),
    /// The connection ended without a head.
    Closed,
    /// What came back is no HTTP.
    NoHttp,
    /// The proxy wants a user name and a password, or others.
    ProxyPassword,
    /// The proxy is there and did not make the connection.
    ProxyRefused(String),
    /// Something else, in the words of the innermost error.
    Other(String),
}

/// Finds the cause in what the client says.
pub(super) fn cause(error: &reqwest::Error) -> Cause {
    let chain = chain(error);
    let tls = chain.iter().find_map(|error| error.downcast_ref::<TlsError>());
    if let Some(tls) = tls {
        return of_tls(tls);
    }
    let says = |words: &str| chain.iter().any(|error| error.to_string().contains(words));
    if let Some(cause) = of_proxy(&says, &chain) {
        return cause;
    }
    if says("dns error") || says("error resolving for socks proxy") {
        return Cause::UnknownHost;
    }
    // The innermost one: an outer one has a kind that says nothing.
    let kinds = chain.iter().rev().filter_map(|error| error.downcast_ref::<io::Error>()).map(io::Error::kind);
    if let Some(cause) = kinds.into_iter().find_map(of_kind) {
        return cause;
    }
    if error.is_timeout() {
        return Cause::TimedOut;
    }
    let http = chain.iter().find_map(|error| error.downcast_ref::<hyper::Error>());
    match http {
        Some(http) if http.is_parse() => Cause::NoHttp,
        Some(http) if http.is_incomplete_message() || http.is_closed() || http.is_canceled() => Cause::Closed,
        _ => Cause::Other(chain.last().map(ToString::to_string).unwrap_or_default()),
    }
}

/// Whether nothing of the request was sent: its connection was closed before, and the client has the request back.
pub(super) fn is_unsent(error: &reqwest::Error) -> bool {
    chain(error).iter().filter_map(|error| error.downcast_ref::<hyper::Error>()).any(hyper::Error::is_canceled)
}

/// The errors from the outermost to the innermost one. An I/O error steps over what it wraps, which is put back here.
fn chain<'a>(error: &'a reqwest::Error) -> Vec<&'a (dyn Error + 'static)> {
    let mut chain: Vec<&'a (dyn Error + 'static)> = Vec::new();
    let mut next: Option<&'a (dyn Error + 'static)> = Some(error);
    while let Some(current) = next {
        chain.push(current);
        let wrapped = current.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        next = match wrapped {
            Some(wrapped) => Some(wrapped),
            None => current.source(),
        };
    }
    chain
}

fn of_tls(error: &TlsError) -> Cause {
    match error {
        TlsError::InvalidCertificate(certificate) => Cause::Certificate(certificate.clone()),
        TlsError::InvalidMessage(InvalidMessage::InvalidContentType | InvalidMessage::UnknownProtocolVersion) => {
            Cause::NoTls
        }
        other => Cause::Other(format!("TLS cannot be set up: {other}")),
    }
}

fn of_kind(kind: io::ErrorKind) -> Option<Cause> {
    Some(match kind {
        io::ErrorKind::ConnectionRefused => Cause::Refused,
        io::ErrorKind::TimedOut => Cause::TimedOut,
        io::ErrorKind::HostUnreachable | io::ErrorKind::NetworkUnreachable | io::ErrorKind::AddrNotAvailable => {
            Cause::Unreachable
        }
        io::ErrorKind::ConnectionReset
        | io::ErrorKind::ConnectionAborted
        | io::ErrorKind::BrokenPipe
        | io::ErrorKind::UnexpectedEof => Cause::Closed,
        _ => return None,
    })
}

/// What only a proxy can say. Its errors have no type that could be looked at.
fn of_proxy(says: &impl Fn(&str) -> bool, chain: &[&(dyn Error + 'static)]) -> Option<Cause> {
    let password = ["proxy authorization required", "credentials not accepted", "does not support user/pass"];
    if password.iter().any(|words| says(words)) {
        return Some(Cause::ProxyPassword);
    }
    if says("SOCKS error: failed to create underlying connection") {
        return Some(Cause::Refused);
    }
    let words = if says("tunnel error: unsuccessful") {
        "it refused to open a connection".to_owned()
    } else if says("tunnel error: unexpected end of file") {
        "it closed the connection".to_owned()
    } else {
        let socks = chain.iter().map(ToString::to_string).find_map(|text| {
            text.strip_prefix("SOCKS error: ").filter(|words| !words.starts_with("io error")).map(str::to_owned)
        });
        socks?
    };
    Some(Cause::ProxyRefused(words))
}
