//! URLs for messages, and whether they are local.

use url::{Host, Url};

pub fn display_url(url: &Url) -> String {
    let mut url = url.clone();
    if has_credentials(&url) {
        // These cannot fail for a URL with a user.
        let _ = (url.set_password(None), url.set_username("***"));
    }
    url.as_str().trim_end_matches('/').to_owned()
}

/// Removes the credentials of the URL from a text that may contain it.
pub fn strip_credentials(url: &Url, text: &str) -> String {
    if !has_credentials(url) {
        return text.to_owned();
    }
    let user = match url.password() {
        Some(password) => format!("{}:{password}@", url.username()),
        None => format!("{}@", url.username()),
    };
    text.replace(&user, "***@")
}

pub fn is_local_host(host: Option<Host<&str>>) -> bool {
    match host {
        Some(Host::Domain(name)) => name.eq_ignore_ascii_case("localhost"),
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.to_canonical().is_loopback(),
        None => false,
    }
}

fn has_credentials(url: &Url) -> bool {
    !url.username().is_empty() || url.password().is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_are_not_shown() {
        for (url, seen) in [
            ("http://host:8080/", "http://host:8080"),
            ("https://u:secret@host/in", "https://***@host/in"),
            ("https://token@host", "https://***@host"),
            ("https://:secret@host", "https://***@host"),
        ] {
            let url = Url::parse(url).unwrap();
            assert_eq!(display_url(&url), seen);
            assert_eq!(
                strip_credentials(&url, &format!("no way to {url}")).trim_end_matches('/'),
                format!("no way to {seen}")
            );
        }
    }

    #[test]
    fn local_hosts_are_recognized() {
        let here = |url: &str| is_local_host(Url::parse(url).unwrap().host());
        for url in ["http://localhost", "http://127.0.0.2:1", "http://[::1]", "http://[::ffff:127.0.0.1]"] {
            assert!(here(url), "{url}");
        }
        for url in ["http://localhost.example.org", "http://10.0.0.1", "http://example.org"] {
            assert!(!here(url), "{url}");
        }
    }
}
