//! `NO_PROXY`: hosts that are reached directly, by the rules of curl.

use std::net::IpAddr;

use url::{Host, Url};

#[derive(Clone, Debug, Default)]
pub(super) struct NoProxyList(Vec<NoProxyEntry>);

#[derive(Clone, Debug)]
enum NoProxyEntry {
    All,
    /// A host and its subdomains; on any port unless one is given.
    Name(String, Option<u16>),
    /// An address or a network with its prefix length.
    Network(IpAddr, u32, Option<u16>),
}

impl NoProxyList {
    /// Reads a list separated by commas or white space.
    pub(super) fn new(list: &str) -> Self {
        let entries = list.split(|c: char| c == ',' || c.is_whitespace()).filter(|entry| !entry.is_empty());
        NoProxyList(entries.map(NoProxyEntry::new).collect())
    }

    pub(super) fn cover(&self, url: &Url) -> bool {
        let Some(host) = url.host() else { return false };
        let port = url.port_or_known_default();
        self.0.iter().any(|exception| exception.covers(&host, port))
    }
}

impl NoProxyEntry {
    fn new(entry: &str) -> Self {
        if entry == "*" {
            return NoProxyEntry::All;
        }
        if let Some((address, bits)) = network(entry) {
            return NoProxyEntry::Network(address, bits, None);
        }
        let (name, port) = match entry.rsplit_once(':') {
            Some((name, port)) if !port.is_empty() => match port.parse() {
                Ok(port) => (name, Some(port)),
                Err(_) => (entry, None),
            },
            _ => (entry, None),
        };
        match network(name) {
            Some((address, bits)) => NoProxyEntry::Network(address, bits, port),
            None => {
                let name = name.strip_prefix("*.").unwrap_or(name).trim_matches('.');
                NoProxyEntry::Name(name.to_ascii_lowercase(), port)
            }
        }
    }

    fn covers(&self, host: &Host<&str>, port: Option<u16>) -> bool {
        let fits = |wanted: &Option<u16>| wanted.is_none() || *wanted == port;
        match (self, host) {
            (NoProxyEntry::All, _) => true,
            (NoProxyEntry::Name(name, wanted), Host::Domain(host)) => {
                let host = host.trim_end_matches('.').to_ascii_lowercase();
                let below = host.strip_suffix(name.as_str()).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
                below && fits(wanted)
            }
            (NoProxyEntry::Network(network, bits, wanted), Host::Ipv4(host)) => {
                is_inside(IpAddr::V4(*host), *network, *bits) && fits(wanted)
            }
            (NoProxyEntry::Network(network, bits, wanted), Host::Ipv6(host)) => {
                is_inside(IpAddr::V6(*host), *network, *bits) && fits(wanted)
            }
            _ => false,
        }
    }
}

/// Reads an address with optional brackets and an optional prefix length.
fn network(text: &str) -> Option<(IpAddr, u32)> {
    let (address, bits) = match text.split_once('/') {
        Some((address, bits)) => (address, Some(bits.parse::<u32>().ok()?)),
        None => (text, None),
    };
    let bare = address.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(address);
    let address = bare.parse::<IpAddr>().ok()?;
    let all = if address.is_ipv4() { 32 } else { 128 };
    let bits = bits.unwrap_or(all);
    (bits <= all).then_some((address, bits))
}

fn is_inside(host: IpAddr, network: IpAddr, bits: u32) -> bool {
    let differs = match (host, network) {
        (IpAddr::V4(host), IpAddr::V4(network)) => u128::from(host.to_bits() ^ network.to_bits()) << 96,
        (IpAddr::V6(host), IpAddr::V6(network)) => host.to_bits() ^ network.to_bits(),
        _ => return false,
    };
    // The addresses are equal in all leading bits.
    differs.leading_zeros() >= bits
}

#[cfg(test)]
mod tests {
    use super::*;

    fn covers(list: &str, url: &str) -> bool {
        NoProxyList::new(list).cover(&Url::parse(url).unwrap())
    }

    #[test]
    fn hosts_are_covered_with_everything_below_them() {
        let list = "localhost, 127.0.0.1 .corp.test,*.lab.test,10.0.0.0/8,[::1],box:8080";
        for url in [
            "http://localhost:11434/v1",
            "http://LOCALHOST./",
            "https://127.0.0.1",
            "https://a.corp.test",
            "https://corp.test",
            "https://x.lab.test",
            "http://10.200.3.4",
            "http://[::1]:9",
            "http://box:8080",
        ] {
            assert!(covers(list, url), "{url}");
        }
        for url in
            ["http://127.0.0.2", "http://notcorp.test", "http://11.0.0.1", "http://[::2]", "http://box", "http://host"]
        {
            assert!(!covers(list, url), "{url}");
        }
        assert!(covers("*", "https://anything.test") && !covers("", "http://localhost"));
    }
}
