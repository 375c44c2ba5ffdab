//! AWS signature version 4, with `aws-sigv4`.

use std::time::SystemTime;

use aws_credential_types::Credentials;
use aws_sigv4::{
    http_request::{SignableBody, SignableRequest, SigningSettings, sign as sign_request},
    sign::v4,
};
use reqwest::Url;

use crate::auth::request::AuthFailure;

#[derive(Clone, PartialEq)]
pub(crate) struct Keys {
    pub id: String,
    pub secret: String,
    pub token: Option<String>,
}

pub(crate) struct Signable<'a> {
    pub url: &'a Url,
    pub headers: &'a [(&'a str, &'a str)],
    pub body: &'a [u8],
    pub region: &'a str,
    pub service: &'a str,
}

/// The headers that sign a request. Content type and length are not signed, as proxies may change them.
pub(crate) fn sign(
    keys: &Keys,
    request: &Signable<'_>,
    time: SystemTime,
) -> Result<Vec<(String, String)>, AuthFailure> {
    let credentials = Credentials::new(&keys.id, &keys.secret, keys.token.clone(), None, "lmthing");
    let identity = credentials.into();
    let params = v4::SigningParams::builder()
        .identity(&identity)
        .region(request.region)
        .name(request.service)
        .time(time)
        .settings(SigningSettings::default())
        .build()
        .map_err(failed)?
        .into();
    let host = host(request.url);
    let headers = std::iter::once(("host", host.as_str())).chain(request.headers.iter().copied());
    let body = SignableBody::Bytes(request.body);
    let signable = SignableRequest::new("POST", request.url.as_str(), headers, body).map_err(failed)?;
    let (instructions, _signature) = sign_request(signable, &params).map_err(failed)?.into_parts();
    Ok(instructions.headers().map(|(name, value)| (name.to_owned(), value.to_owned())).collect())
}

/// The `host` header, which contains the port only if it is not the scheme's default.
pub(crate) fn host(url: &Url) -> String {
    match (url.host_str(), url.port()) {
        (Some(host), Some(port)) => format!("{host}:{port}"),
        (host, _) => host.unwrap_or_default().to_owned(),
    }
}

fn failed(error: impl std::error::Error) -> AuthFailure {
    AuthFailure::configuration(format!("The request could not be signed for AWS: {error}"))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    /// 2025-01-02T03:04:05Z
    const TIME: Duration = Duration::from_secs(1_735_787_045);

    fn signature(region: &str, url: &str, token: Option<&str>) -> String {
        let keys = Keys {
            id: "AKIDEXAMPLE".into(),
            secret: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY".into(),
            token: token.map(str::to_owned),
        };
        let url = reqwest::Url::parse(url).unwrap();
        let body = r#"{"system":[],"messages":[{"role":"user","content":[{"text":"Zürich ☀️"}]}]}"#;
        let request = Signable { url: &url, headers: &[], body: body.as_bytes(), region, service: "bedrock" };
        let headers = sign(&keys, &request, SystemTime::UNIX_EPOCH + TIME).unwrap();
        let header = |name: &str| headers.iter().find(|(n, _)| n == name).map(|(_, value)| value.clone());
        assert_eq!(header("x-amz-date").as_deref(), Some("20250102T030405Z"));
        assert_eq!(header("x-amz-security-token").as_deref(), token);
        header("authorization").unwrap()
    }

    /// Signatures computed by another implementation. In the signed text, the path is percent-encoded once more.
    #[test]
    fn signatures_equal_those_of_another_implementation() {
        let runtime = |region: &str, model: &str| {
            format!("https://bedrock-runtime.{region}.amazonaws.com/model/{model}/converse-stream")
        };
        let sonnet = "anthropic.claude-3-5-sonnet-20241022-v2%3A0";
        let us = runtime("us-east-1", sonnet);
        assert_eq!(
            signature("us-east-1", &us, None),
            "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20250102/us-east-1/bedrock/aws4_request, \
             SignedHeaders=host;x-amz-date, \
             Signature=d19c7ef6b5b3b742403f48c75da665e285813b2843619c64a3c98fa8c9e5fd06"
        );
        let with_token = signature("us-east-1", &us, Some("FwoExampleSessionToken//////////"));
        assert!(with_token.contains("SignedHeaders=host;x-amz-date;x-amz-security-token"), "{with_token}");
        assert!(with_token.ends_with("e67c61a94ce20a639d9dc794a6cce875f76abddc9451b575a50d25eab0d80458"));
        let other = runtime("eu-central-1", "us.meta.llama3-2-90b-instruct-v1%3A0");
        let other = signature("eu-central-1", &other, None);
        assert!(other.ends_with("a1ba4b8fb25de57872e0bfdf65a4f81736dc32bb59bae07f2d4d0d796123b7d7"));
        let arn = "arn%3Aaws%3Abedrock%3Aus-west-2%3A123456789012%3Ainference-profile%2F\
                   us.anthropic.claude-3-7-sonnet-20250219-v1%3A0";
        let arn = signature("us-west-2", &runtime("us-west-2", arn), None);
        assert!(arn.ends_with("936276d258f4a99b181bb8fbb725ef86c2ae9c09c6684fe4c8450715b6d6d030"));
    }
}
