//! OAuth tokens from Google's application default credentials.
//!
//! Why not `gcp_auth`: it cannot be pointed at another token server than the file's through our client, and brings a
//! second HTTP stack. What is left is one signed form post; the signature is `ring`'s, the client is the shared one.

use std::{
    cell::RefCell,
    path::PathBuf,
    rc::Rc,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use ring::{rand::SystemRandom, signature};
use rustls::pki_types::{PrivateKeyDer, pem::PemObject};
use serde::Deserialize;
use serde_json::{Value, json};

use super::request::AuthFailure;
use crate::{
    http::{Network, http_client},
    provider::{Env, ProviderErrorKind},
};

const SCOPE: &str = "https://www.googleapis.com/auth/cloud-platform";
const TOKEN_URL: &str = "https://oauth2.googleapis.com/token";

/// A token is fetched again this long before it expires.
const EARLY: Duration = Duration::from_secs(300);
/// The metadata server answers at once, or there is none.
const METADATA_TIMEOUT: Duration = Duration::from_secs(3);
const TOKEN_TIMEOUT: Duration = Duration::from_secs(30);

/// Finds credentials and keeps the token they give.
pub(crate) struct GoogleAuth {
    env: Rc<dyn Env>,
    /// Credentials given by the script instead of a file.
    credentials: Option<Value>,
    token: RefCell<Option<Token>>,
}

#[derive(Clone)]
struct Token {
    value: String,
    fetch_again_at: Instant,
}

#[derive(Deserialize)]
struct TokenAnswer {
    access_token: String,
    #[serde(default)]
    expires_in: Option<u64>,
}

impl GoogleAuth {
    /// Looks in the environment's usual places, unless `credentials` (the content of a credentials file) is given.
    pub(crate) fn new(env: Rc<dyn Env>, credentials: Option<Value>) -> Self {
        GoogleAuth { env, credentials, token: RefCell::new(None) }
    }

    /// A token that is good for a while.
    pub(crate) async fn token(&self) -> Result<String, AuthFailure> {
        if let Some(token) = self.token.borrow().as_ref()
            && Instant::now() < token.fetch_again_at
        {
            return Ok(token.value.clone());
        }
        let answer = match self.find().await? {
            Some(credentials) => exchange(&credentials, &self.env.network()).await?,
            None => self.metadata().await?,
        };
        // The server's word is not trusted with the clock: a life beyond a day is cut.
        let life = Duration::from_secs(answer.expires_in.unwrap_or(3_600).min(86_400));
        let fetch_again_at = Instant::now() + life.saturating_sub(EARLY);
        self.token.replace(Some(Token { value: answer.access_token.clone(), fetch_again_at }));
        Ok(answer.access_token)
    }

    pub(super) fn secrets(&self) -> Vec<String> {
        self.token.borrow().iter().map(|token| token.value.clone()).collect()
    }

    /// The file named by `GOOGLE_APPLICATION_CREDENTIALS`, else gcloud's own.
    async fn find(&self) -> Result<Option<Value>, AuthFailure> {
        if let Some(credentials) = &self.credentials {
            return Ok(Some(credentials.clone()));
        }
        if let Some(path) = self.env.get("GOOGLE_APPLICATION_CREDENTIALS").filter(|path| !path.is_empty()) {
            let text = tokio::fs::read_to_string(&path)
                .await
                .map_err(|error| failure(format!("GOOGLE_APPLICATION_CREDENTIALS names {path}: {error}")))?;
            return read(&path, &text).map(Some);
        }
        // A file that was named must be there; one that is only usual may be missing, and the machine asked in its
        // place.
        let Some(path) = self.gcloud_file() else { return Ok(None) };
        match tokio::fs::read_to_string(&path).await {
            Ok(text) => read(&path.display().to_string(), &text).map(Some),
            Err(_) => Ok(None),
        }
    }

    fn gcloud_file(&self) -> Option<PathBuf> {
        let set = |name: &str| self.env.get(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let folder = set("CLOUDSDK_CONFIG")
            .or_else(|| set("HOME").map(|home| home.join(".config/gcloud")))
            .or_else(|| set("APPDATA").map(|data| data.join("gcloud")))?;
        Some(folder.join("application_default_credentials.json"))
    }

    /// On Google's own machines a server hands out tokens.
    async fn metadata(&self) -> Result<TokenAnswer, AuthFailure> {
        let host = self.env.get("GCE_METADATA_HOST").filter(|host| !host.is_empty());
        // The fixed address of the server, as its name may not resolve outside Google's network.
        let host = host.unwrap_or_else(|| "169.254.169.254".to_owned());
        let url = format!("http://{host}/computeMetadata/v1/instance/service-accounts/default/token");
        let client = http_client(&self.env.network()).map_err(|_| not_found())?;
        let answer = client.get(url).header("metadata-flavor", "Google").timeout(METADATA_TIMEOUT).send().await;
        let answer = answer.and_then(reqwest::Response::error_for_status).map_err(|_| not_found())?;
        let body = answer.bytes().await.map_err(|_| not_found())?;
        serde_json::from_slice(&body).map_err(|_| not_found())
    }
}

fn not_found() -> AuthFailure {
    failure(
        "Could not load the default credentials. Browse to \
         https://cloud.google.com/docs/authentication/getting-started for more information.",
    )
}

fn failure(message: impl Into<String>) -> AuthFailure {
    AuthFailure { kind: ProviderErrorKind::Authentication, message: message.into(), hint: None }
}

fn read(path: &str, text: &str) -> Result<Value, AuthFailure> {
    serde_json::from_str(text).map_err(|error| failure(format!("The credentials file {path} is not JSON: {error}")))
}

/// Trades credentials for a token.
async fn exchange(credentials: &Value, network: &Network) -> Result<TokenAnswer, AuthFailure> {
    let field = |name: &str| {
        credentials
            .get(name)
            .and_then(Value::as_str)
            .ok_or_else(|| failure(format!("The Google credentials have no {name}.")))
    };
    let kind = match credentials.get("type").and_then(Value::as_str) {
        Some(kind) => kind,
        // A script may give `{client_email, private_key}` alone.
        None if credentials.get("private_key").is_some() => "service_account",
        None => field("type")?,
    };
    let form: Vec<(&str, String)> = match kind {
        "service_account" => {
            let assertion = assertion(field("client_email")?, field("private_key")?, SystemTime::now())?;
            vec![("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer".into()), ("assertion", assertion)]
        }
        "authorized_user" => vec![
            ("refresh_token", field("refresh_token")?.into()),
            ("client_id", field("client_id")?.into()),
            ("client_secret", field("client_secret")?.into()),
            ("grant_type", "refresh_token".into()),
        ],
        other => return Err(failure(format!("Google credentials of type \"{other}\" are not supported."))),
    };
    let url = credentials.get("token_uri").and_then(Value::as_str).unwrap_or(TOKEN_URL);
    post(url, &form, network).await
}

async fn post(url: &str, form: &[(&str, String)], network: &Network) -> Result<TokenAnswer, AuthFailure> {
    let unreachable = |error: reqwest::Error| {
        // Without the URL: a token_uri may carry secrets.
        failure(format!("Google's token server could not be reached: {}", root_cause(&error.without_url())))
    };
    let body: String =
        form.iter().map(|(name, value)| format!("{name}={}", encode(value))).collect::<Vec<_>>().join("&");
    let client = http_client(network).map_err(|error| failure(error.to_string()))?;
    let request = client
        .post(url)
        .header("content-type", "application/x-www-form-urlencoded;charset=UTF-8")
        .header("accept", "application/json")
        .timeout(TOKEN_TIMEOUT)
        .body(body);
    let answer = request.send().await.map_err(unreachable)?;
    let status = answer.status();
    let body = answer.bytes().await.map_err(unreachable)?;
    // A proxy's page with status 200 is no token; a refusal with a token in it is none either.
    if let Ok(token) = serde_json::from_slice::<TokenAnswer>(&body)
        && status.is_success()
    {
        return Ok(token);
    }
    let words = serde_json::from_slice::<Value>(&body).unwrap_or_default();
    let words = words.get("error_description").or_else(|| words.get("error")).and_then(Value::as_str);
    let words = words.map(|words| format!(": {words}")).unwrap_or_default();
    Err(failure(format!("Google refused the credentials (status {}){words}", status.as_u16())))
}

fn encode(value: &str) -> percent_encoding::PercentEncode<'_> {
    percent_encoding::utf8_percent_encode(value, percent_encoding::NON_ALPHANUMERIC)
}

/// The words of the innermost error.
fn root_cause(error: &dyn std::error::Error) -> String {
    let mut innermost = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    innermost.to_string()
}

/// A JWT signed with RS256, good for an hour.
fn assertion(email: &str, private_key: &str, now: SystemTime) -> Result<String, AuthFailure> {
    let issued = now.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let claims = json!({
        "iss": email,
        "scope": SCOPE,
        // Fixed, wherever the token is asked for: it names the service, not the address.
        "aud": TOKEN_URL,
        "iat": issued,
        "exp": issued + 3_600,
    });
    // A JWT is signed over its two halves as they are sent.
    let encode = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let signed = format!("{}.{}", encode(&json!({ "alg": "RS256" })), encode(&claims));
    let key = key_pair(private_key)?;
    let mut bytes = vec![0; key.public().modulus_len()];
    key.sign(&signature::RSA_PKCS1_SHA256, &SystemRandom::new(), signed.as_bytes(), &mut bytes)
        .map_err(|_| failure("The Google credentials' private_key could not sign."))?;
    Ok(format!("{signed}.{}", URL_SAFE_NO_PAD.encode(bytes)))
}

fn key_pair(pem: &str) -> Result<signature::RsaKeyPair, AuthFailure> {
    let unusable = || failure("The Google credentials' private_key is not a usable RSA key in PEM form.");
    match PrivateKeyDer::from_pem_slice(pem.as_bytes()).map_err(|_| unusable())? {
        PrivateKeyDer::Pkcs8(der) => signature::RsaKeyPair::from_pkcs8(der.secret_pkcs8_der()).map_err(|_| unusable()),
        PrivateKeyDer::Pkcs1(der) => signature::RsaKeyPair::from_der(der.secret_pkcs1_der()).map_err(|_| unusable()),
        _ => Err(unusable()),
    }
}
