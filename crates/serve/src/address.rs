//! Parses and checks addresses of servers and clients.

use std::{
    io,
    net::{IpAddr, Ipv4Addr, SocketAddr},
};

use url::Host;

use lmthing_base::diagnostic::Diagnostic;

/// Resolves `HOST:PORT`, or a port on the loopback address. `option` is the name of the option for error messages.
pub async fn resolve(option: &str, address: &str) -> Result<Vec<SocketAddr>, Diagnostic> {
    let expected = "expected HOST:PORT such as 127.0.0.1:8080, or a port; 0 is any that is free";
    let wrong = |why: &str| Diagnostic::new(format!("{option} {address}: {why}")).with_hint(expected);
    let found: Vec<SocketAddr> = match address.parse() {
        Ok(port) => vec![SocketAddr::from((Ipv4Addr::LOCALHOST, port))],
        Err(_) => match address.rsplit_once(':') {
            Some((host, port)) if !host.is_empty() && port.parse::<u16>().is_ok() => {
                tokio::net::lookup_host(address).await.map_err(|_| wrong("there is no such host"))?.collect()
            }
            _ => return Err(wrong("this is no address")),
        },
    };
    if found.is_empty() {
        return Err(wrong("there is no such host"));
    }
    Ok(found)
}

/// Whether only this machine can connect to these addresses.
pub fn are_here(addresses: &[SocketAddr]) -> bool {
    let is_here = |ip: IpAddr| ip.to_canonical().is_loopback();
    addresses.iter().all(|address| is_here(address.ip()))
}

/// Parses an authority such as `localhost:8080` or `[::1]`. Stricter than URL parsers, which normalize input or stop at
/// certain characters: a check must not pass what another parser reads differently.
pub fn host_and_port(authority: &str) -> Option<(Host, Option<u16>)> {
    let (host, rest) = match authority.strip_prefix('[') {
        Some(rest) => {
            let (ip, rest) = rest.split_once(']')?;
            (Host::Ipv6(ip.parse().ok()?), rest)
        }
        None => {
            let end = authority.find(':').unwrap_or(authority.len());
            let (name, rest) = authority.split_at(end);
            (name.parse().map_or_else(|_| domain(name), |ip| Some(Host::Ipv4(ip)))?, rest)
        }
    };
    match rest.strip_prefix(':') {
        None => rest.is_empty().then_some((host, None)),
        Some(port) if port.bytes().all(|byte| byte.is_ascii_digit()) => Some((host, Some(port.parse().ok()?))),
        Some(_) => None,
    }
}

fn domain(name: &str) -> Option<Host> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_');
    let is_name = !name.is_empty() && name.bytes().all(is_plain);
    is_name.then(|| Host::Domain(name.to_ascii_lowercase()))
}

/// Whether a host name always refers to this machine.
pub fn is_loopback(host: &Host) -> bool {
    match host {
        Host::Domain(name) => name == "localhost",
        Host::Ipv4(ip) => ip.is_loopback(),
        Host::Ipv6(ip) => ip.to_canonical().is_loopback(),
    }
}

pub fn reachable_by_others(option: &str, address: &str) -> Diagnostic {
    Diagnostic::new(format!("{option} {address}: other machines could call the prompt files there"))
}

pub fn cannot_bind(addresses: &[SocketAddr], error: &io::Error) -> Diagnostic {
    let named: Vec<String> = addresses.iter().map(SocketAddr::to_string).collect();
    let problem = Diagnostic::new(format!("cannot listen on {}: {error}", named.join(", ")));
    match error.kind() {
        io::ErrorKind::AddrInUse => problem.with_hint("another program listens there; port 0 takes one that is free"),
        _ => problem,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_authorities_have_a_host() {
        for (authority, is_here) in [
            ("localhost", true),
            ("LOCALHOST:80", true),
            ("127.0.0.2:80", true),
            ("[::1]:8080", true),
            ("[::ffff:127.0.0.1]", true),
            ("localhost.", false),
            ("evil.example:80", false),
            ("127.0.0.1.evil.example", false),
            ("127.1", false),
            ("10.0.0.1", false),
        ] {
            let (host, _) = host_and_port(authority).unwrap_or_else(|| panic!("{authority}"));
            assert_eq!(is_loopback(&host), is_here, "{authority}");
        }
        for wrong in [
            "",
            ":80",
            "[::1].evil.example",
            "[::1]evil",
            "[::1",
            "::1",
            "[127.0.0.1]",
            "localhost:",
            "localhost:80:80",
            "localhost:+80",
            "localhost:99999",
            "localhost@evil.example",
            "evil.example#@localhost",
            "localhost, evil.example",
            "loc%61lhost",
            "localhost\t",
        ] {
            assert_eq!(host_and_port(wrong), None, "{wrong}");
        }
        assert_eq!(host_and_port("a_b-1.example:1"), Some((Host::Domain("a_b-1.example".to_owned()), Some(1))));
    }

    #[tokio::test]
    async fn addresses_are_resolved_and_loopback_is_detected() {
        for (typed, found, is_here) in [
            ("8080", "127.0.0.1:8080", true),
            ("127.0.0.1:0", "127.0.0.1:0", true),
            ("[::1]:80", "[::1]:80", true),
            ("127.1.2.3:80", "127.1.2.3:80", true),
            ("0.0.0.0:80", "0.0.0.0:80", false),
            ("[::]:80", "[::]:80", false),
            ("[::ffff:10.0.0.1]:80", "[::ffff:10.0.0.1]:80", false),
            (":80", "--http :80: this is no address", true),
            ("localhost", "--http localhost: this is no address", true),
            ("127.0.0.1:99999", "--http 127.0.0.1:99999: this is no address", true),
            ("http://localhost:80", "--http http://localhost:80: there is no such host", true),
        ] {
            let (shown, here) = match resolve("--http", typed).await {
                Ok(addresses) => (addresses[0].to_string(), are_here(&addresses)),
                Err(problem) => (problem.message, true),
            };
            assert_eq!((shown.as_str(), here), (found, is_here), "{typed}");
        }
    }
}
