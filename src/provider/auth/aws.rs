//! AWS signature version 4 for Bedrock, by `aws-sigv4`.

use std::time::SystemTime;

use aws_credential_types::Credentials;
use aws_sigv4::{
    http_request::{SignableBody, SignableRequest, SigningSettings, sign},
    sign::v4,
};

use super::request::{AuthFailure, Unauthorised};
use crate::provider::ProviderErrorKind;

/// Keys and region; missing keys are reported when the first request is due.
#[derive(Clone)]
pub(crate) struct AwsAuth {
    pub access_key_id: Option<String>,
    pub secret_access_key: Option<String>,
    pub session_token: Option<String>,
    pub region: String,
}

impl AwsAuth {
    pub(super) fn headers(&self, request: &Unauthorised<'_>) -> Result<Vec<(String, String)>, AuthFailure> {
        self.sign(request, SystemTime::now())
    }

    /// Signs host and date (and the session token): content-type and length may be changed on the way.
    fn sign(&self, request: &Unauthorised<'_>, time: SystemTime) -> Result<Vec<(String, String)>, AuthFailure> {
        let (Some(id), Some(secret)) = (&self.access_key_id, &self.secret_access_key) else {
            return Err(missing());
        };
        // They are given as they are and never expire: a session token's end shows as a 403.
        let credentials = Credentials::new(id, secret, self.session_token.clone(), None, "lmthing");
        let identity = credentials.into();
        let params = v4::SigningParams::builder()
            .identity(&identity)
            .region(&self.region)
            // Not `bedrock-runtime`, which is the host's name.
            .name("bedrock")
            .time(time)
            .settings(SigningSettings::default())
            .build()
            .map_err(failed)?
            .into();
        // Only a port that is not the scheme's own stands in the header that will be sent.
        let host = match (request.url.host_str(), request.url.port()) {
            (Some(host), Some(port)) => format!("{host}:{port}"),
            (host, _) => host.unwrap_or_default().to_owned(),
        };
        let headers = std::iter::once(("host", host.as_str()));
        let body = SignableBody::Bytes(request.body);
        let signable = SignableRequest::new("POST", request.url.as_str(), headers, body).map_err(failed)?;
        let (instructions, _signature) = sign(signable, &params).map_err(failed)?.into_parts();
        Ok(instructions.headers().map(|(name, value)| (name.to_owned(), value.to_owned())).collect())
    }

    pub(super) fn secrets(&self) -> Vec<String> {
        [&self.secret_access_key, &self.session_token, &self.access_key_id].into_iter().flatten().cloned().collect()
    }
}

fn missing() -> AuthFailure {
    AuthFailure {
        kind: ProviderErrorKind::Configuration,
        message: "AWS SigV4 authentication requires AWS credentials. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY \
                  (and AWS_SESSION_TOKEN for temporary ones), or AWS_BEARER_TOKEN_BEDROCK, or pass accessKeyId and \
                  secretAccessKey."
            .to_owned(),
        hint: None,
    }
}

fn failed(error: impl std::error::Error) -> AuthFailure {
    AuthFailure {
        kind: ProviderErrorKind::Configuration,
        message: format!("The request could not be signed for AWS: {error}"),
        hint: None,
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    /// 2025-01-02T03:04:05Z
    const TIME: Duration = Duration::from_secs(1_735_787_045);

    fn signature(region: &str, url: &str, token: Option<&str>) -> String {
        let auth = AwsAuth {
            access_key_id: Some("AKIDEXAMPLE".into()),
            secret_access_key: Some("wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY".into()),
            session_token: token.map(str::to_owned),
            region: region.into(),
        };
        let url = reqwest::Url::parse(url).unwrap();
        let body = r#"{"system":[],"messages":[{"role":"user","content":[{"text":"Zürich ☀️"}]}]}"#;
        let request = Unauthorised { url: &url, body: body.as_bytes() };
        let headers = auth.sign(&request, SystemTime::UNIX_EPOCH + TIME).unwrap();
        let header = |name: &str| headers.iter().find(|(n, _)| n == name).map(|(_, value)| value.clone());
        assert_eq!(header("x-amz-date").as_deref(), Some("20250102T030405Z"));
        assert_eq!(header("x-amz-security-token").as_deref(), token);
        header("authorization").unwrap()
    }

    /// Signatures of another implementation. In what is signed, the path is percent-encoded once more.
    #[test]
    fn signatures_equal_the_vectors() {
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

    #[test]
    fn missing_keys_are_named() {
        let auth =
            AwsAuth { access_key_id: None, secret_access_key: None, session_token: None, region: "us-east-1".into() };
        let url = reqwest::Url::parse("http://127.0.0.1:1/").unwrap();
        let failure = auth.headers(&Unauthorised { url: &url, body: b"" }).unwrap_err();
        assert!(failure.message.starts_with("AWS SigV4 authentication requires AWS credentials."));
    }
}
