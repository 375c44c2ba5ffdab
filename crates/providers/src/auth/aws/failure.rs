//! Readable errors for missing AWS credentials.

use std::error::Error;

use aws_config::meta::ProviderChainError;
use aws_credential_types::provider::error::CredentialsError;

use super::profile::Profile;
use crate::{
    ProviderErrorKind,
    auth::{request::AuthFailure, token_client::TokenClient},
    error_text::{root_cause, truncated},
};

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Source {
    Profile,
    WebIdentity,
    Container,
    Instance,
}

impl Source {
    /// The first one that is configured, in the order of the AWS crates.
    pub(super) fn of(tokens: &TokenClient, profile: &Profile) -> Source {
        let set = |name: &str| tokens.variable(name).is_some();
        let container = ["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "AWS_CONTAINER_CREDENTIALS_FULL_URI"];
        if profile.has_keys() {
            Source::Profile
        } else if set("AWS_WEB_IDENTITY_TOKEN_FILE") {
            Source::WebIdentity
        } else if container.iter().any(|name| set(name)) {
            Source::Container
        } else {
            Source::Instance
        }
    }

    pub(super) fn token_file(self) -> Option<&'static str> {
        match self {
            Source::WebIdentity => Some("AWS_WEB_IDENTITY_TOKEN_FILE"),
            Source::Container => Some("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"),
            Source::Profile | Source::Instance => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Source::Profile => "Profile",
            Source::WebIdentity => "WebIdentityToken",
            Source::Container => "EcsContainer",
            Source::Instance => "Ec2InstanceMetadata",
        }
    }
}

pub(super) fn missing() -> AuthFailure {
    AuthFailure::configuration(
        "AWS SigV4 authentication requires AWS credentials. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (and \
         AWS_SESSION_TOKEN for temporary ones), or AWS_BEARER_TOKEN_BEDROCK, or pass accessKeyId and secretAccessKey. \
         Without them, AWS_PROFILE or the default profile, AWS_WEB_IDENTITY_TOKEN_FILE with AWS_ROLE_ARN, and the role of \
         a container or an instance are looked for; there is none of them here.",
    )
    .with_hint("Set up a profile with aws configure sso or aws configure.")
}

pub(super) fn unknown(profile: &Profile) -> AuthFailure {
    let name = &profile.name;
    let known = match profile.known.as_slice() {
        [] => "There are no profiles in them.".to_owned(),
        known => format!("The profiles in them: {}.", known.join(", ")),
    };
    AuthFailure::configuration(format!(
        "The AWS profile \"{name}\" is neither in the config file nor in the credentials file. {known}"
    ))
    .with_hint(
        "Set AWS_PROFILE to a profile there is; the files are ~/.aws/config (AWS_CONFIG_FILE) and ~/.aws/credentials \
         (AWS_SHARED_CREDENTIALS_FILE).",
    )
}

pub(super) fn failed(source: Source, profile: &Profile, error: &CredentialsError) -> AuthFailure {
    let name = &profile.name;
    let words = words(source, error);
    let export = format!("eval \"$(aws configure export-credentials --profile {name} --format env)\"");
    let (place, hint) = match source {
        Source::Profile if words.contains("credentials-login") => {
            return AuthFailure::configuration(format!(
                "The AWS profile \"{name}\" was signed in with aws login, whose keys can only be had from AWS's own program."
            ))
            .with_hint(format!("Take them over into variables: {export}"));
        }
        Source::Profile if profile.uses_single_sign_on() => {
            (format!("of the profile \"{name}\""), format!("Sign in: aws sso login --profile {name}"))
        }
        Source::Profile => (
            format!("of the profile \"{name}\""),
            format!("Look at the profile in ~/.aws/config and ~/.aws/credentials, or try: {export}"),
        ),
        Source::WebIdentity => (
            "of the web identity".to_owned(),
            "Check AWS_WEB_IDENTITY_TOKEN_FILE and AWS_ROLE_ARN, and whom the role trusts.".to_owned(),
        ),
        Source::Container => (
            "of the container's role".to_owned(),
            "Check AWS_CONTAINER_CREDENTIALS_FULL_URI or _RELATIVE_URI, and the role of the task or pod.".to_owned(),
        ),
        Source::Instance => {
            let mut missing = missing();
            missing.message.push_str(&format!(" The instance's role: {}.", words.trim_end_matches('.')));
            return missing;
        }
    };
    let kind = if is_unreachable(error) { ProviderErrorKind::Connection } else { ProviderErrorKind::Authentication };
    AuthFailure { kind, message: format!("The AWS credentials {place} could not be had: {words}"), hint: Some(hint) }
}

fn words(source: Source, error: &CredentialsError) -> String {
    const EMPTY: [&str; 7] = [
        "service error",
        "dispatch failure",
        "unhandled error",
        "io error",
        "an error occurred while loading credentials",
        "unexpected credentials error",
        "the credential provider was not enabled",
    ];
    let chain = error.source().and_then(|chain| chain.downcast_ref::<ProviderChainError<CredentialsError>>());
    let attempt = chain.and_then(|chain| chain.attempts().iter().find(|attempt| attempt.name() == source.name()));
    let outer: &dyn Error = attempt.map_or(error, |attempt| attempt.error());
    let mut words: Vec<String> = Vec::new();
    let mut next = Some(outer);
    while let Some(error) = next {
        // Errors of `reqwest` repeat themselves in their sources.
        let is_sent = error.is::<reqwest::Error>();
        let text = if is_sent { root_cause(error) } else { error.to_string() };
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let is_new = !words.iter().any(|known| known.contains(&text));
        if is_new && !EMPTY.contains(&text.as_str()) {
            words.push(text);
        }
        next = error.source().filter(|_| !is_sent);
    }
    truncated(words.join(": "))
}

fn is_unreachable(error: &CredentialsError) -> bool {
    let mut next = error.source();
    while let Some(error) = next {
        if error.is::<reqwest::Error>() {
            return true;
        }
        next = error.source();
    }
    false
}
