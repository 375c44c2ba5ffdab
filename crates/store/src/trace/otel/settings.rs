//! Reads the variables of OpenTelemetry.

use std::time::Duration;

use opentelemetry::{KeyValue, trace::SpanContext};
use opentelemetry_sdk::{Resource, resource::TelemetryResourceDetector};
use percent_encoding::percent_decode_str;
use serde_json::Value;
use url::Url;

use super::{attributes::Redact, parent::parent};
use lmthing_system::http::Network;

const TIMEOUT: Duration = Duration::from_secs(10);

/// The meaning of the variables.
pub enum OtelConfig {
    Off,
    /// Spans are wanted, but a variable is invalid; holds the message.
    Wrong(String),
    On(Box<Settings>),
}

pub struct Settings {
    pub(super) endpoint: Url,
    pub(super) headers: Vec<(String, String)>,
    pub(super) timeout: Duration,
    pub(super) is_compressed: bool,
    pub(super) captures_content: bool,
    pub(super) parent: Option<SpanContext>,
    pub(super) network: Network,
    attributes: Vec<(String, String)>,
    service_name: Option<String>,
}

/// The variables of a setting: the one for traces precedes the one for all signals.
fn names(setting: &str) -> [String; 2] {
    ["OTEL_EXPORTER_OTLP_TRACES_", "OTEL_EXPORTER_OTLP_"].map(|beginning| format!("{beginning}{setting}"))
}

/// The variables with headers, such as a bearer token.
pub fn header_variables() -> [String; 2] {
    names("HEADERS")
}

/// The variables with addresses, which may contain a password.
pub fn address_variables() -> [String; 2] {
    names("ENDPOINT")
}

impl Settings {
    pub fn find(variable: impl Fn(&str) -> Option<String>) -> OtelConfig {
        // An empty variable counts as unset.
        let variable =
            |name: &str| variable(name).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty());
        let either =
            |setting: &str| names(setting).into_iter().find_map(|name| variable(&name).map(|value| (name, value)));
        let Some((name, endpoint)) = either("ENDPOINT") else { return OtelConfig::Off };
        let is_true = |name: &str| variable(name).is_some_and(|value| value.eq_ignore_ascii_case("true"));
        if is_true("OTEL_SDK_DISABLED") || !is_otlp(variable("OTEL_TRACES_EXPORTER").as_deref()) {
            return OtelConfig::Off;
        }
        let parent = variable("TRACEPARENT").and_then(|value| parent(&value, variable("TRACESTATE").as_deref()));
        if parent.as_ref().is_some_and(|parent| !parent.is_sampled()) {
            return OtelConfig::Off;
        }
        if let Some((name, protocol)) = either("PROTOCOL").filter(|(_, protocol)| protocol != "http/protobuf") {
            return OtelConfig::Wrong(format!(
                "{name} is {protocol}: lmthing speaks http/protobuf only, and sends no spans; unset it, and let {} name the port for HTTP (4318 as a rule)",
                "OTEL_EXPORTER_OTLP_ENDPOINT"
            ));
        }
        let Some(endpoint) = address(&name, &endpoint) else {
            // Without the value, which may contain a password.
            return OtelConfig::Wrong(format!(
                "{name} is no address that begins with http:// or https://: no spans are sent"
            ));
        };
        let headers = match either("HEADERS").map(|(name, list)| pairs(&list).ok_or(name)).transpose() {
            Ok(headers) => headers.unwrap_or_default(),
            Err(name) => {
                return OtelConfig::Wrong(format!(
                    "{name} is no list of name=value, with commas between: no spans are sent"
                ));
            }
        };
        let timeout = either("TIMEOUT").and_then(|(_, value)| value.parse().ok()).map(Duration::from_millis);
        OtelConfig::On(Box::new(Settings {
            endpoint,
            headers,
            timeout: timeout.filter(|timeout| !timeout.is_zero()).unwrap_or(TIMEOUT),
            is_compressed: either("COMPRESSION").is_some_and(|(_, value)| value == "gzip"),
            captures_content: is_true("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"),
            parent,
            network: Network::new(variable),
            attributes: variable("OTEL_RESOURCE_ATTRIBUTES").and_then(|list| pairs(&list)).unwrap_or_default(),
            service_name: variable("OTEL_SERVICE_NAME"),
        }))
    }

    /// Secrets that must not be shown: the values of headers, with and without an authentication scheme.
    pub fn secrets(&self) -> impl Iterator<Item = &str> {
        self.headers.iter().flat_map(|(_, value)| {
            [Some(value.as_str()), value.split_once(' ').map(|(_, token)| token)].into_iter().flatten()
        })
    }

    /// The address of the collector, without user name, password and parameters.
    pub(super) fn address(&self) -> String {
        let mut shown = self.endpoint.clone();
        // These cannot fail for an address with a host.
        let _ = shown.set_username("").and_then(|()| shown.set_password(None));
        shown.set_query(None);
        shown.set_fragment(None);
        shown.to_string()
    }

    /// The attributes that all spans share.
    pub(super) fn resource(&self, clean: &Redact) -> Resource {
        let of_name = |name: &str| self.attributes.iter().any(|(known, _)| known == name);
        let service = self.service_name.clone().or_else(|| (!of_name("service.name")).then(|| "lmthing".to_owned()));
        let version = (!of_name("service.version")).then(|| env!("CARGO_PKG_VERSION").to_owned());
        let own = [("service.name", service), ("service.version", version)];
        let given = self.attributes.iter().map(|(name, value)| (name.clone(), value.clone()));
        let own = own.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
        let attributes = given.chain(own).map(|(name, value)| {
            let mut value = Value::String(value);
            clean(&mut value);
            KeyValue::new(name, value.as_str().unwrap_or_default().to_owned())
        });
        Resource::builder_empty().with_detector(Box::new(TelemetryResourceDetector)).with_attributes(attributes).build()
    }
}

/// Whether the list of exporters contains the collector.
fn is_otlp(exporters: Option<&str>) -> bool {
    exporters.is_none_or(|list| list.split(',').any(|exporter| exporter.trim() == "otlp"))
}

/// The address for traces: the given one, or a path below the one for all signals.
fn address(name: &str, value: &str) -> Option<Url> {
    let mut url = Url::parse(value).ok().filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host())?;
    if name == "OTEL_EXPORTER_OTLP_ENDPOINT" {
        let path = format!("{}/v1/traces", url.path().trim_end_matches('/'));
        url.set_path(&path);
    }
    Some(url)
}

/// Reads `name=value` pairs separated by commas, with percent-encoded values; `None` if a pair is invalid.
fn pairs(list: &str) -> Option<Vec<(String, String)>> {
    let pairs = list.split(',').filter(|pair| !pair.trim().is_empty());
    pairs
        .map(|pair| {
            let (name, value) = pair.split_once('=')?;
            let name = name.trim();
            let value = percent_decode_str(value.trim()).decode_utf8().ok()?;
            (!name.is_empty()).then(|| (name.to_owned(), value.into_owned()))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(variables: &[(&str, &str)]) -> OtelConfig {
        Settings::find(|name| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned()))
    }

    fn on(variables: &[(&str, &str)]) -> Box<Settings> {
        match find(variables) {
            OtelConfig::On(settings) => settings,
            OtelConfig::Off => panic!("off: {variables:?}"),
            OtelConfig::Wrong(problem) => panic!("{problem}"),
        }
    }

    const HERE: (&str, &str) = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:4318");

    #[test]
    fn spans_go_where_the_variables_say() {
        let cases = [
            ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://h:4318", "http://h:4318/v1/traces"),
            ("OTEL_EXPORTER_OTLP_ENDPOINT", "https://u:pw@h/otel/", "https://h/otel/v1/traces"),
            ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://h/own?x=1", "http://h/own"),
        ];
        for (name, value, expected) in cases {
            assert_eq!(on(&[(name, value)]).address(), expected);
        }
        let both = [HERE, ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://t/x")];
        assert_eq!(on(&both).address(), "http://t/x");
    }

    #[test]
    fn without_an_endpoint_or_switched_off_nothing_is_sent() {
        let unsampled = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00";
        let cases: [&[(&str, &str)]; 7] = [
            &[],
            &[("OTEL_EXPORTER_OTLP_ENDPOINT", " ")],
            &[HERE, ("OTEL_SDK_DISABLED", "TRUE")],
            &[HERE, ("OTEL_TRACES_EXPORTER", "none")],
            &[HERE, ("OTEL_TRACES_EXPORTER", "console")],
            &[HERE, ("TRACEPARENT", unsampled)],
            &[("OTEL_EXPORTER_OTLP_ENDPOINT", ""), ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")],
        ];
        for variables in cases {
            assert!(matches!(find(variables), OtelConfig::Off), "{variables:?}");
        }
        on(&[HERE, ("OTEL_TRACES_EXPORTER", "console, otlp"), ("TRACEPARENT", "nonsense")]);
    }

    #[test]
    fn errors_omit_the_value() {
        let cases: [(&str, &str); 4] = [
            ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "key:pw@host"),
            ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "ftp://key:pw@host"),
            ("OTEL_EXPORTER_OTLP_HEADERS", "pw"),
            ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "grpc"),
        ];
        for case in cases {
            let OtelConfig::Wrong(problem) = find(&[HERE, case]) else { panic!("{case:?} is taken") };
            assert!(problem.starts_with(case.0) && !problem.contains("pw"), "{problem}");
        }
    }

    #[test]
    fn lists_are_decoded() {
        let settings = on(&[
            HERE,
            ("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer%20abc, x-team = a%2Cb ,"),
            ("OTEL_EXPORTER_OTLP_TIMEOUT", "250"),
            ("OTEL_EXPORTER_OTLP_COMPRESSION", "gzip"),
        ]);
        let header = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(settings.headers, [header("authorization", "Bearer abc"), header("x-team", "a,b")]);
        assert_eq!(settings.secrets().collect::<Vec<_>>(), ["Bearer abc", "abc", "a,b"]);
        assert_eq!((settings.timeout, settings.is_compressed), (Duration::from_millis(250), true));
    }
}
