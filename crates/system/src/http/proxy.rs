//! Selects the proxy of a request, by the rules of curl.

use std::fmt;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use percent_encoding::percent_decode_str;
use thiserror::Error;
use url::Url;

use super::no_proxy::NoProxyList;

/// A proxy, and the variable that names it.
#[derive(Clone, PartialEq, Eq)]
pub struct Proxy {
    /// With port, and with user name and password if given.
    pub(super) url: Url,
    pub variable: &'static str,
}

impl Proxy {
    /// Host and port for messages, without user name and password.
    pub fn host(&self) -> String {
        let port = self.url.port_or_known_default().map(|port| format!(":{port}")).unwrap_or_default();
        format!("{}{port}", self.url.host_str().unwrap_or_default())
    }

    /// An example with user name and password.
    pub fn with_placeholders(&self) -> String {
        format!("USER:PASSWORD@{}", self.host())
    }

    pub fn has_password(&self) -> bool {
        !self.url.username().is_empty() || self.url.password().is_some()
    }

    /// The password in all its forms.
    pub fn secrets(&self) -> Vec<String> {
        let Some(password) = self.url.password() else { return Vec::new() };
        let decoded = |text| percent_decode_str(text).decode_utf8_lossy().into_owned();
        let header = STANDARD.encode(format!("{}:{}", decoded(self.url.username()), decoded(password)));
        vec![decoded(password), password.to_owned(), header]
    }
}

impl fmt::Debug for Proxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Proxy({} of {})", self.host(), self.variable)
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct Proxies {
    http: Option<Proxy>,
    https: Option<Proxy>,
    exceptions: NoProxyList,
}

impl Proxies {
    /// Reads the variables; `get` returns name and value.
    pub(super) fn new<'a>(get: impl Fn(&str) -> Option<(&'static str, &'a str)>) -> Result<Proxies, InvalidProxy> {
        let first = |names: [&str; 2]| names.into_iter().find_map(&get);
        let proxy = |names| first(names).map(|(variable, value)| parse(variable, value)).transpose();
        let all = proxy(["all_proxy", "ALL_PROXY"])?;
        Ok(Proxies {
            http: proxy(["http_proxy", "HTTP_PROXY"])?.or_else(|| all.clone()),
            https: proxy(["https_proxy", "HTTPS_PROXY"])?.or(all),
            exceptions: first(["no_proxy", "NO_PROXY"]).map(|(_, list)| NoProxyList::new(list)).unwrap_or_default(),
        })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.http.is_none() && self.https.is_none()
    }

    pub(super) fn of(&self, url: &Url) -> Option<&Proxy> {
        let proxy = match url.scheme() {
            "http" => self.http.as_ref(),
            "https" => self.https.as_ref(),
            _ => None,
        };
        proxy.filter(|_| !self.exceptions.cover(url))
    }
}

/// The variable of a proxy has no usable address. Without the value, which may contain a password.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{variable} is no usable address of a proxy: {what}")]
pub struct InvalidProxy {
    variable: &'static str,
    what: String,
}

fn parse(variable: &'static str, value: &str) -> Result<Proxy, InvalidProxy> {
    let wrong = |what: &str| InvalidProxy { variable, what: what.to_owned() };
    let value = value.trim();
    let full = if value.contains("://") { value.to_owned() } else { format!("http://{value}") };
    let mut url = Url::parse(&full).map_err(|error| wrong(&error.to_string()))?;
    if url.scheme() == "socks" {
        url = Url::parse(&full.replacen("socks", "socks5", 1)).map_err(|error| wrong(&error.to_string()))?;
    }
    let usual_port = match url.scheme() {
        // The URL knows the standard port of the scheme.
        "http" | "https" => None,
        "socks4" | "socks4a" | "socks5" | "socks5h" => Some(1080),
        other => return Err(wrong(&format!("the scheme \"{other}\" is none of http, https, socks4, socks5, socks5h"))),
    };
    if url.host_str().unwrap_or_default().is_empty() {
        return Err(wrong("it names no host"));
    }
    if url.port().is_none() && usual_port.is_some() && url.set_port(usual_port).is_err() {
        return Err(wrong("it can have no port"));
    }
    Ok(Proxy { url, variable })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn proxy(
        variables: &[(&'static str, &'static str)],
        url: &str,
    ) -> Result<Option<(String, &'static str)>, InvalidProxy> {
        let proxies = Proxies::new(|name| variables.iter().find(|(known, _)| *known == name).copied())?;
        let found = proxies.of(&Url::parse(url).unwrap());
        Ok(found.map(|proxy| (proxy.host(), proxy.variable)))
    }

    fn through(host: &str, variable: &'static str) -> Result<Option<(String, &'static str)>, InvalidProxy> {
        Ok(Some((host.to_owned(), variable)))
    }

    #[test]
    fn the_variable_of_the_scheme_goes_before_the_one_for_all() {
        let variables = [
            ("HTTPS_PROXY", "http://u:secret@corp:3128/"),
            ("all_proxy", "socks5h://socks"),
            ("ALL_PROXY", "other:1"),
            ("NO_PROXY", "local.test"),
        ];
        assert_eq!(proxy(&variables, "https://api.test/v1"), through("corp:3128", "HTTPS_PROXY"));
        assert_eq!(proxy(&variables, "http://api.test/v1"), through("socks:1080", "all_proxy"));
        assert_eq!(proxy(&variables, "https://a.local.test/v1"), Ok(None));
        assert_eq!(proxy(&[("http_proxy", "corp")], "http://api.test"), through("corp:80", "http_proxy"));
        assert_eq!(proxy(&[("http_proxy", "corp")], "https://api.test"), Ok(None));
    }

    #[test]
    fn a_wrong_variable_is_named_without_its_value() {
        for value in ["ftp://u:secret@corp", "http://u:secret@corp:port", "http://"] {
            let Err(problem) = proxy(&[("ALL_PROXY", value)], "https://api.test") else { panic!("{value} is taken") };
            let problem = problem.to_string();
            assert!(problem.starts_with("ALL_PROXY is no usable address") && !problem.contains("secret"), "{problem}");
        }
    }
}
