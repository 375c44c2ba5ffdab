//! By which name a request comes, and from which page. A page elsewhere reaches what listens on this machine by a name of its own
//! that leads here (DNS rebinding); its requests say so.

use std::net::IpAddr;

use hyper::{
    Request, StatusCode,
    header::{HOST, HeaderMap, HeaderName, ORIGIN},
};
use url::Host;

use super::super::super::address::{host_and_port, is_loopback};

/// The names by which the server is known.
pub(super) struct Names {
    /// The address that it listens at.
    pub(super) own: IpAddr,
    /// Whether requests must carry a token; then any name may lead here.
    pub(super) has_token: bool,
}

/// What a request is refused with.
pub(super) type Refusal = (StatusCode, &'static str);

impl Names {
    /// Looks at the head of a request.
    ///
    /// # Errors
    /// What it is answered with.
    pub(super) fn check<B>(&self, request: &Request<B>) -> Result<(), Refusal> {
        let bad = |why| (StatusCode::BAD_REQUEST, why);
        let host = single(request.headers(), HOST).map_err(|Several| bad("more than one Host header"))?;
        let origin = single(request.headers(), ORIGIN).map_err(|Several| bad("more than one Origin header"))?;
        let host = host.ok_or(bad("the Host header is missing"))?;
        let named = host_and_port(host);
        if !self.has_token && !named.as_ref().is_some_and(|(host, _)| self.is_own(host)) {
            return Err((StatusCode::FORBIDDEN, "the Host header is not allowed: it is no name of this machine"));
        }
        let named = named.ok_or(bad("the Host header has no host"))?;
        let target = request.uri().authority().map(|target| host_and_port(target.as_str()));
        if target.is_some_and(|target| target.map(with_port) != Some(with_port(named))) {
            return Err(bad("the Host header and the address of the request name different servers"));
        }
        if origin.is_some_and(|origin| !self.is_own_page(origin)) {
            return Err((
                StatusCode::FORBIDDEN,
                "the Origin header is not allowed: only pages of this machine may ask",
            ));
        }
        Ok(())
    }

    fn is_own(&self, host: &Host) -> bool {
        let ip = match host {
            Host::Domain(_) => None,
            Host::Ipv4(ip) => Some(IpAddr::V4(*ip)),
            Host::Ipv6(ip) => Some(ip.to_canonical()),
        };
        is_loopback(host) || ip == Some(self.own.to_canonical())
    }

    fn is_own_page(&self, origin: &str) -> bool {
        let Some((scheme, authority)) = origin.split_once("://") else { return false };
        let is_web = ["http", "https"].iter().any(|known| scheme.eq_ignore_ascii_case(known));
        is_web && host_and_port(authority).is_some_and(|(host, _)| self.is_own(&host))
    }
}

/// There is more than one of a header.
struct Several;

/// The value of a header that may stand there once. What is no text is an empty one, which is no name.
fn single(headers: &HeaderMap, name: HeaderName) -> Result<Option<&str>, Several> {
    let mut values = headers.get_all(name).iter();
    let first = values.next();
    if values.next().is_some() {
        return Err(Several);
    }
    Ok(first.map(|value| value.to_str().unwrap_or_default()))
}

/// With the port that is meant when none is named.
fn with_port((host, port): (Host, Option<u16>)) -> (Host, u16) {
    (host, port.unwrap_or(80))
}
