//! Where a server is. Must not know what it is asked.

use std::fmt;

use url::Url;

use crate::http::{display_url, is_local_host};

/// The port of the admin API, unless the server has been told another.
const ADMIN_PORT: u16 = 9070;

/// The address of an API, with a path that ends in a slash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Address(Url);

/// Reads an address that was typed.
///
/// # Errors
/// What is expected.
pub(crate) fn read_address(typed: &str) -> Result<Address, String> {
    let expected = || "expected the address of a Restate server, such as http://127.0.0.1:8080".to_owned();
    let mut url = Url::parse(typed.trim()).map_err(|_| expected())?;
    if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
        return Err(expected());
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(format!("{}, without a query", expected()));
    }
    if !url.path().ends_with('/') {
        url.set_path(&format!("{}/", url.path()));
    }
    Ok(Address(url))
}

impl Address {
    /// The address below this one that these names lead to; they may have any characters.
    pub(super) fn at(&self, names: &[&str]) -> Url {
        let mut url = self.0.clone();
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().extend(names);
        }
        url
    }

    /// Whether it is on this machine, where no proxy is and nobody speaks TLS.
    pub(super) fn is_near(&self) -> bool {
        is_local_host(self.0.host()) && self.0.scheme() == "http"
    }

    /// The admin API of the same host.
    pub(crate) fn admin(&self) -> Address {
        let mut url = self.0.clone();
        // Nothing of it can fail for an address with a host.
        let _ = url.set_port(Some(ADMIN_PORT));
        url.set_path("/");
        Address(url)
    }
}

impl fmt::Display for Address {
    /// Without the slash at its end, and without a password or a token.
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
