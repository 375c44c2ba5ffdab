//! Checks `Host` and `Origin` of requests. With DNS rebinding a web page can reach a local server under a name of its
//! own; these headers reveal it.

use std::net::IpAddr;

use hyper::{
    Request, StatusCode,
    header::{HOST, HeaderMap, HeaderName, ORIGIN},
};
use url::Host;

use super::super::super::address::{host_and_port, is_loopback};

pub(super) struct HostCheck {
    pub(super) own: IpAddr,
    /// Whether requests need a bearer token. If so, any host name is accepted.
    pub(super) has_token: bool,
}

pub(super) type Refusal = (StatusCode, &'static str);

impl HostCheck {
    pub(super) fn check<B>(&self, request: &Request<B>) -> Result<(), Refusal> {
        let bad = |why| (StatusCode::BAD_REQUEST, why);
        let host = single(request.headers(), HOST).map_err(|RepeatedHeader| bad("more than one Host header"))?;
        let origin = single(request.headers(), ORIGIN).map_err(|RepeatedHeader| bad("more than one Origin header"))?;
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

struct RepeatedHeader;

/// Returns the value of a header that may occur once. A value that is not ASCII gives an empty string, which no check
/// accepts.
fn single(headers: &HeaderMap, name: HeaderName) -> Result<Option<&str>, RepeatedHeader> {
    let mut values = headers.get_all(name).iter();
    let first = values.next();
    if values.next().is_some() {
        return Err(RepeatedHeader);
    }
    Ok(first.map(|value| value.to_str().unwrap_or_default()))
}

fn with_port((host, port): (Host, Option<u16>)) -> (Host, u16) {
    (host, port.unwrap_or(80))
}
