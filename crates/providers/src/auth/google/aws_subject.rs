//! AWS keys as a subject token: a signed `GetCallerIdentity` request that Google sends on the user's behalf.

use std::time::SystemTime;

use reqwest::{Client, RequestBuilder, Url};
use serde_json::{Value, json};

use super::credentials::{field, text};
use crate::auth::{
    aws::sign::{Keys, Signable, host, sign},
    request::AuthFailure,
    token_client::{Server, TokenClient},
};

const METADATA: Server = Server { name: "The metadata server of AWS", is_local: true };

pub(super) async fn token(
    tokens: &TokenClient,
    credentials: &Value,
    source: &Value,
    environment: &str,
) -> Result<String, AuthFailure> {
    if environment != "aws1" {
        let message =
            format!("The credential_source of the Google credentials is for \"{environment}\", not for \"aws1\".");
        return Err(AuthFailure::refused(message));
    }
    let server = MetadataServer { tokens, source, session: None };
    let (region, keys) = server.region_and_keys().await?;
    let url = field(source, "regional_cred_verification_url")?.replace("{region}", &region);
    let wrong = |error| AuthFailure::refused(format!("regional_cred_verification_url is no address: {error}"));
    let parsed = Url::parse(&url).map_err(wrong)?;
    // Signed, so that the request cannot be used for another audience.
    let target = ("x-goog-cloud-target-resource", field(credentials, "audience")?);
    let signable = Signable { url: &parsed, headers: &[target], body: b"", region: &region, service: "sts" };
    let signed = sign(&keys, &signable, SystemTime::now())?;
    let all =
        [("host".to_owned(), host(&parsed)), (target.0.to_owned(), target.1.to_owned())].into_iter().chain(signed);
    let headers: Vec<Value> = all.map(|(name, value)| json!({ "key": name, "value": value })).collect();
    let request = json!({ "url": url, "method": "POST", "headers": headers }).to_string();
    Ok(percent_encoding::utf8_percent_encode(&request, percent_encoding::NON_ALPHANUMERIC).to_string())
}

struct MetadataServer<'a> {
    tokens: &'a TokenClient,
    source: &'a Value,
    session: Option<String>,
}

impl MetadataServer<'_> {
    async fn region_and_keys(mut self) -> Result<(String, Keys), AuthFailure> {
        let variable = |name: &str| self.tokens.variable(name);
        let region = variable("AWS_REGION").or_else(|| variable("AWS_DEFAULT_REGION"));
        let keys = variable("AWS_ACCESS_KEY_ID").zip(variable("AWS_SECRET_ACCESS_KEY"));
        let keys = keys.map(|(id, secret)| Keys { id, secret, token: variable("AWS_SESSION_TOKEN") });
        if let (Some(region), Some(keys)) = (&region, &keys) {
            return Ok((region.clone(), keys.clone()));
        }
        if let Some(url) = text(self.source, "imdsv2_session_token_url") {
            let request = |client: &Client| client.put(&url).header("x-aws-ec2-metadata-token-ttl-seconds", "300");
            let session = self.text(request).await?;
            self.session = Some(self.tokens.secrets().add(session));
        }
        let region = match region {
            Some(region) => region,
            None => self.region().await?,
        };
        let keys = match keys {
            Some(keys) => keys,
            None => self.keys().await?,
        };
        Ok((region, keys))
    }

    async fn region(&self) -> Result<String, AuthFailure> {
        let mut zone = self.get(field(self.source, "region_url")?).await?;
        zone.pop();
        Ok(zone)
    }

    async fn keys(&self) -> Result<Keys, AuthFailure> {
        let url = field(self.source, "url")?;
        let role = self.get(url).await?;
        let answer = self.get(&format!("{}/{role}", url.trim_end_matches('/'))).await?;
        let answer: Value = serde_json::from_str(&answer).unwrap_or_default();
        let (id, secret) = text(&answer, "AccessKeyId").zip(text(&answer, "SecretAccessKey")).ok_or_else(|| {
            AuthFailure::refused(format!("The metadata server of AWS gives no keys for the role {role}."))
        })?;
        let secrets = self.tokens.secrets();
        let token = text(&answer, "Token").map(|token| secrets.add(token));
        Ok(Keys { id, secret: secrets.add(secret), token })
    }

    async fn get(&self, url: &str) -> Result<String, AuthFailure> {
        self.text(|client| client.get(url)).await
    }

    async fn text(&self, request: impl Fn(&Client) -> RequestBuilder) -> Result<String, AuthFailure> {
        let request = |client: &Client| match &self.session {
            Some(session) => request(client).header("x-aws-ec2-metadata-token", session),
            None => request(client),
        };
        let answer = self.tokens.send(METADATA, request).await.map_err(|error| METADATA.failure(error))?;
        Ok(String::from_utf8_lossy(&answer).trim().to_owned())
    }
}
