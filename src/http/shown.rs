//! Addresses: fit to be shown, and whether they are on this machine.

use url::{Host, Url};

/// The address without a slash at its end, and without the name, the password or the token of whoever asks.
pub(crate) fn shown(url: &Url) -> String {
    let mut url = url.clone();
    if has_user(&url) {
        // Nothing of it can fail where something stands there.
        let _ = (url.set_password(None), url.set_username("***"));
    }
    url.as_str().trim_end_matches('/').to_owned()
}

/// A text that may have the address in it, without what [`shown`] leaves out.
#[cfg(any(test, feature = "worker"))]
pub(crate) fn without_user(url: &Url, text: &str) -> String {
    if !has_user(url) {
        return text.to_owned();
    }
    let user = match url.password() {
        Some(password) => format!("{}:{password}@", url.username()),
        None => format!("{}@", url.username()),
    };
    text.replace(&user, "***@")
}

/// Whether it is on this machine.
pub(crate) fn is_here(host: Option<Host<&str>>) -> bool {
    match host {
        Some(Host::Domain(name)) => name.eq_ignore_ascii_case("localhost"),
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.to_canonical().is_loopback(),
        None => false,
    }
}

fn has_user(url: &Url) -> bool {
    !url.username().is_empty() || url.password().is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_asks_is_not_shown() {
        for (url, seen) in [
            ("http://host:8080/", "http://host:8080"),
            ("https://u:secret@host/in", "https://***@host/in"),
            ("https://token@host", "https://***@host"),
            ("https://:secret@host", "https://***@host"),
        ] {
            let url = Url::parse(url).unwrap();
            assert_eq!(shown(&url), seen);
            assert_eq!(
                without_user(&url, &format!("no way to {url}")).trim_end_matches('/'),
                format!("no way to {seen}")
            );
        }
    }

    #[test]
    fn this_machine_has_some_names() {
        let here = |url: &str| is_here(Url::parse(url).unwrap().host());
        for url in ["http://localhost", "http://127.0.0.2:1", "http://[::1]", "http://[::ffff:127.0.0.1]"] {
            assert!(here(url), "{url}");
        }
        for url in ["http://localhost.example.org", "http://10.0.0.1", "http://example.org"] {
            assert!(!here(url), "{url}");
        }
    }
}
