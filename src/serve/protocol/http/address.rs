//! Where to be reached. Must not know what is served.

use std::{
    io,
    net::{IpAddr, Ipv4Addr, SocketAddr},
};

use crate::diagnostic::Diagnostic;

/// What `address` names: `HOST:PORT`, or a port alone, which is one of this machine.
///
/// # Errors
/// It names nothing, or a place where others than this machine could ask, and there is no token.
pub(super) async fn resolve(address: &str, has_token: bool) -> Result<Vec<SocketAddr>, Diagnostic> {
    let expected = "expected HOST:PORT such as 127.0.0.1:8080, or a port; 0 is any that is free";
    let wrong = |why: &str| Diagnostic::new(format!("--http {address}: {why}")).with_hint(expected);
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
    let is_here = |ip: IpAddr| ip.to_canonical().is_loopback();
    if has_token || found.iter().all(|address| is_here(address.ip())) {
        return Ok(found);
    }
    Err(Diagnostic::new(format!("--http {address}: other machines could call the prompt files there"))
        .with_hint("name a variable with a token that clients must have, --token-env NAME, or take 127.0.0.1"))
}

/// Why an address could not be had.
pub(super) fn cannot_bind(addresses: &[SocketAddr], error: &io::Error) -> Diagnostic {
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

    async fn shown(address: &str, has_token: bool) -> String {
        match resolve(address, has_token).await {
            Ok(found) => found[0].to_string(),
            Err(problem) => problem.message,
        }
    }

    #[tokio::test]
    async fn addresses_are_of_this_machine_unless_there_is_a_token() {
        for (typed, found) in [
            ("8080", "127.0.0.1:8080"),
            ("127.0.0.1:0", "127.0.0.1:0"),
            ("[::1]:80", "[::1]:80"),
            ("127.1.2.3:80", "127.1.2.3:80"),
            ("0.0.0.0:80", "--http 0.0.0.0:80: other machines could call the prompt files there"),
            ("[::]:80", "--http [::]:80: other machines could call the prompt files there"),
            ("[::ffff:10.0.0.1]:80", "--http [::ffff:10.0.0.1]:80: other machines could call the prompt files there"),
            (":80", "--http :80: this is no address"),
            ("localhost", "--http localhost: this is no address"),
            ("127.0.0.1:99999", "--http 127.0.0.1:99999: this is no address"),
            ("http://localhost:80", "--http http://localhost:80: there is no such host"),
        ] {
            assert_eq!(shown(typed, false).await, found, "{typed}");
        }
        assert_eq!(shown("0.0.0.0:80", true).await, "0.0.0.0:80");
    }
}
