//! The address in `OLLAMA_HOST`, which Ollama's server and programs share.

const PORT: &str = "11434";

/// The base URL of a host as Ollama reads it: scheme, host and port may be missing, and an address to listen at stands
/// for this machine.
pub(crate) fn ollama_url(text: &str) -> String {
    let text = text.trim().trim_matches(['"', '\'']);
    let (scheme, rest) = text.split_once("://").map_or((None, text), |(scheme, rest)| (Some(scheme), rest));
    let (authority, path) = rest.find('/').map_or((rest, ""), |at| rest.split_at(at));
    let (user, host) = authority.rfind('@').map_or(("", authority), |at| authority.split_at(at + 1));
    let (host, port) = split_port(host);
    let port = match (port, scheme) {
        (Some(port), _) => format!(":{port}"),
        // As in other URLs, a scheme has a port of its own.
        (None, Some(_)) => String::new(),
        (None, None) => format!(":{PORT}"),
    };
    let host = match host {
        "" | "0.0.0.0" => "127.0.0.1".to_owned(),
        "::" | "[::]" => "[::1]".to_owned(),
        host if host.contains(':') && !host.starts_with('[') => format!("[{host}]"),
        host => host.to_owned(),
    };
    let path = path.trim_end_matches('/');
    let path = ["/api/chat", "/api", "/v1"].iter().find_map(|end| path.strip_suffix(end)).unwrap_or(path);
    format!("{}://{user}{host}{port}{path}", scheme.unwrap_or("http"))
}

fn split_port(host: &str) -> (&str, Option<&str>) {
    let is_bare_ip6 = !host.starts_with('[') && host.matches(':').count() > 1;
    match host.rsplit_once(':') {
        Some((name, port)) if !is_bare_ip6 && !port.contains(']') => (name, Some(port).filter(|port| !port.is_empty())),
        _ => (host, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_may_lack_scheme_and_port() {
        for (host, url) in [
            ("127.0.0.1", "http://127.0.0.1:11434"),
            ("0.0.0.0", "http://127.0.0.1:11434"),
            ("0.0.0.0:11500", "http://127.0.0.1:11500"),
            (":11500", "http://127.0.0.1:11500"),
            ("\"gpu.lan:11500\"", "http://gpu.lan:11500"),
            ("http://gpu.lan", "http://gpu.lan"),
            ("http://0.0.0.0:11434/", "http://127.0.0.1:11434"),
            ("https://me:pass@gpu.lan/ollama/api", "https://me:pass@gpu.lan/ollama"),
            ("http://localhost:11434/v1", "http://localhost:11434"),
            ("::", "http://[::1]:11434"),
            ("[::]:11500", "http://[::1]:11500"),
            ("fe80::1", "http://[fe80::1]:11434"),
            ("gpu.lan:port", "http://gpu.lan:port"),
        ] {
            assert_eq!(ollama_url(host), url, "{host}");
        }
    }
}
