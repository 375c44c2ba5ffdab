//! Finds the cause of a connection failure in the errors of the HTTP client.

use std::{error::Error, io};

use rustls::{CertificateError, Error as TlsError, InvalidMessage};

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Cause {
    Refused,
    UnknownHost,
    TimedOut,
    Unreachable,
    /// The response to the TLS handshake was not TLS.
    NoTls,
    Certificate(CertificateError),
    Closed,
    NoHttp,
    ProxyPassword,
    ProxyRefused(String),
    Other(String),
}

pub(super) fn cause(error: &reqwest::Error) -> Cause {
    let chain = chain(error);
    let tls = chain.iter().find_map(|error| error.downcast_ref::<TlsError>());
    if let Some(tls) = tls {
        return tls_cause(tls);
    }
    let contains = |words: &str| chain.iter().any(|error| error.to_string().contains(words));
    if let Some(cause) = proxy_cause(&contains, &chain) {
        return cause;
    }
    if contains("dns error") || contains("error resolving for socks proxy") {
        return Cause::UnknownHost;
    }
    // From the innermost error: outer ones have unspecific kinds.
    let kinds = chain.iter().rev().filter_map(|error| error.downcast_ref::<io::Error>()).map(io::Error::kind);
    if let Some(cause) = kinds.into_iter().find_map(io_cause) {
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

pub(super) fn is_unsent(error: &reqwest::Error) -> bool {
    chain(error).iter().filter_map(|error| error.downcast_ref::<hyper::Error>()).any(hyper::Error::is_canceled)
}

/// The errors from the outermost to the innermost one. `io::Error::source` skips the error that it wraps, so
/// `get_ref` is used.
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

fn tls_cause(error: &TlsError) -> Cause {
    match error {
        TlsError::InvalidCertificate(certificate) => Cause::Certificate(certificate.clone()),
        TlsError::InvalidMessage(InvalidMessage::InvalidContentType | InvalidMessage::UnknownProtocolVersion) => {
            Cause::NoTls
        }
        other => Cause::Other(format!("TLS cannot be set up: {other}")),
    }
}

fn io_cause(kind: io::ErrorKind) -> Option<Cause> {
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

fn proxy_cause(contains: &impl Fn(&str) -> bool, chain: &[&(dyn Error + 'static)]) -> Option<Cause> {
    let password = ["proxy authorization required", "credentials not accepted", "does not support user/pass"];
    if password.iter().any(|words| contains(words)) {
        return Some(Cause::ProxyPassword);
    }
    if contains("SOCKS error: failed to create underlying connection") {
        return Some(Cause::Refused);
    }
    let words = if contains("tunnel error: unsuccessful") {
        "it refused to open a connection".to_owned()
    } else if contains("tunnel error: unexpected end of file") {
        "it closed the connection".to_owned()
    } else {
        let socks = chain.iter().map(ToString::to_string).find_map(|text| {
            text.strip_prefix("SOCKS error: ").filter(|words| !words.starts_with("io error")).map(str::to_owned)
        });
        socks?
    };
    Some(Cause::ProxyRefused(words))
}
