//! Addresses of Restate APIs.

use std::fmt;

use thiserror::Error;
use url::Url;

use crate::http::{display_url, is_local_host};

const ADMIN_PORT: u16 = 9070;

/// Its path ends in a slash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address(Url);

#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum ParseAddressError {
    #[error("expected the address of a Restate server, such as http://127.0.0.1:8080")]
    NoAddress,
    #[error("{}, without a query", ParseAddressError::NoAddress)]
    Query,
}

pub fn read_address(typed: &str) -> Result<Address, ParseAddressError> {
    let mut url = Url::parse(typed.trim()).map_err(|_| ParseAddressError::NoAddress)?;
    if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
        return Err(ParseAddressError::NoAddress);
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(ParseAddressError::Query);
    }
    if !url.path().ends_with('/') {
        url.set_path(&format!("{}/", url.path()));
    }
    Ok(Address(url))
}

impl Address {
    /// Appends path segments, percent-encoded.
    pub(super) fn at(&self, names: &[&str]) -> Url {
        let mut url = self.0.clone();
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().extend(names);
        }
        url
    }

    /// Whether it is on this machine, where neither a proxy nor TLS is used.
    pub(super) fn is_near(&self) -> bool {
        is_local_host(self.0.host()) && self.0.scheme() == "http"
    }

    pub fn admin(&self) -> Address {
        let mut url = self.0.clone();
        // Cannot fail for a URL with a host.
        let _ = url.set_port(Some(ADMIN_PORT));
        url.set_path("/");
        Address(url)
    }
}

impl fmt::Display for Address {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&display_url(&self.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_and_gone_on_with() {
        let address = read_address("http://host:8080/in").unwrap();
        assert_eq!(address.at(&["a b", "report", "send"]).as_str(), "http://host:8080/in/a%20b/report/send");
        assert_eq!(address.to_string(), "http://host:8080/in");
        assert_eq!(address.admin().to_string(), "http://host:9070");
        assert_eq!(read_address("https://u:secret@host/").unwrap().to_string(), "https://***@host");
        for wrong in ["", "host:8080", "127.0.0.1:8080", "ftp://host", "http://host/?a=1"] {
            assert!(read_address(wrong).is_err(), "{wrong}");
        }
    }
}
