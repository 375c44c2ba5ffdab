//! Refuses requests of web pages to a worker without keys: DNS rebinding gives pages access to servers on this machine.

use std::net::SocketAddr;

use hyper::{
    Request, Version,
    header::{HOST, ORIGIN},
    http::{StatusCode, uri::Authority},
};
use url::{Host, Url};

use lmthing_serve::{host_and_port, is_loopback};

pub(super) struct RequestFilter {
    /// Whether requests are signed, which a page cannot forge.
    has_keys: bool,
    /// Whether only this machine reaches the address, so that the possible host names are known.
    is_here: bool,
    advertised: Option<Host>,
}

impl RequestFilter {
    pub(super) fn new(address: SocketAddr, advertised: Option<&Url>, has_keys: bool) -> Self {
        let advertised = advertised.and_then(|url| url.host().map(|host| host.to_owned()));
        RequestFilter { has_keys, is_here: address.ip().to_canonical().is_loopback(), advertised }
    }

    /// Fails with status and text of the refusal.
    pub(super) fn check<B>(&self, request: &Request<B>) -> Result<(), (StatusCode, &'static str)> {
        if !self.has_keys {
            if request.headers().contains_key(ORIGIN) {
                return Err((StatusCode::FORBIDDEN, "a worker answers Restate, not pages in browsers"));
            }
            if self.is_here && !self.is_called_by_name(request) {
                let why = "no name of this worker: --advertise http://HOST:PORT tells it by which Restate calls it";
                return Err((StatusCode::FORBIDDEN, why));
            }
        }
        if request.version() < Version::HTTP_2 {
            // With HTTP/1 no cancellation could arrive while an invocation is being answered.
            return Err((StatusCode::HTTP_VERSION_NOT_SUPPORTED, "a worker is called over HTTP/2"));
        }
        Ok(())
    }

    /// Whether all host names in the request are names of this worker.
    fn is_called_by_name<B>(&self, request: &Request<B>) -> bool {
        let in_head = request.headers().get_all(HOST).iter().map(|host| host.to_str().ok()?.parse::<Authority>().ok());
        let names: Vec<_> = in_head.chain(request.uri().authority().cloned().map(Some)).collect();
        !names.is_empty() && names.iter().all(|name| name.as_ref().is_some_and(|name| self.is_own(name)))
    }

    fn is_own(&self, name: &Authority) -> bool {
        let Some((host, _)) = host_and_port(name.as_str()) else { return false };
        is_loopback(&host) || self.advertised.as_ref() == Some(&host)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(request_filter: &RequestFilter, uri: &str, headers: &[(&str, &str)]) -> u16 {
        let mut request = Request::builder().version(Version::HTTP_2).uri(uri);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request_filter.check(&request.body(()).unwrap()).map_or_else(|(status, _)| status.as_u16(), |()| 200)
    }

    #[test]
    fn a_local_worker_accepts_only_its_own_names() {
        let advertised = Url::parse("http://Worker.example:9080/at").unwrap();
        let request_filter = RequestFilter::new("127.0.0.1:9080".parse().unwrap(), Some(&advertised), false);
        for uri in ["http://127.0.0.1:9080/x", "http://localhost/x", "http://[::1]:1/x", "http://worker.example/x"] {
            assert_eq!(checked(&request_filter, uri, &[]), 200, "{uri}");
        }
        for uri in ["http://rebound.example:9080/x", "http://10.0.0.1/x", "/x"] {
            assert_eq!(checked(&request_filter, uri, &[]), 403, "{uri}");
        }
        assert_eq!(checked(&request_filter, "/x", &[("host", "localhost:9080")]), 200);
        assert_eq!(checked(&request_filter, "/x", &[("host", "[::1].evil.example")]), 403);
        assert_eq!(checked(&request_filter, "http://localhost/x", &[("host", "rebound.example")]), 403);
        assert_eq!(checked(&request_filter, "http://localhost/x", &[("origin", "http://localhost")]), 403);
    }

    #[test]
    fn a_public_worker_refuses_only_pages() {
        let request_filter = RequestFilter::new("0.0.0.0:9080".parse().unwrap(), None, false);
        assert_eq!(checked(&request_filter, "http://worker.example/x", &[]), 200);
        assert_eq!(checked(&request_filter, "http://worker.example/x", &[("origin", "null")]), 403);
        // Requests are signed.
        let request_filter = RequestFilter::new("127.0.0.1:9080".parse().unwrap(), None, true);
        assert_eq!(checked(&request_filter, "http://worker.example/x", &[("origin", "null")]), 200);
    }
}
