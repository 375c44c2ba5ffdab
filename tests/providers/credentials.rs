//! Google's credentials and AWS signatures, against a local server.

use std::{collections::BTreeMap, rc::Rc};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use lmthing_base::chat::ModelRequest;
use lmthing_providers::{ProviderContext, ProviderErrorKind, ProviderSettings, create, resolve};
use ring::signature::{KeyPair, RSA_PKCS1_2048_8192_SHA256, RsaKeyPair, UnparsedPublicKey};
use rustls::pki_types::{PrivatePkcs8KeyDer, pem::PemObject};
use serde_json::{Value, json};

use crate::{
    setup::{BEDROCK, GOOGLE, TEXT},
    steps::{Answer, ask},
    support::canned::{Canned, Server},
};

const TEST_KEY: &str = include_str!("../../crates/providers/fixtures/rsa_test_key.pem");

fn context(variables: &[(&str, String)]) -> ProviderContext {
    let env: BTreeMap<String, String> =
        variables.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
    ProviderContext::new(Rc::new(env))
}

async fn ask_vertex(server: &Server, variables: &[(&str, String)]) -> Answer {
    let mut all = vec![
        ("GOOGLE_VERTEX_PROJECT", "harbour".to_owned()),
        ("GOOGLE_VERTEX_BASE_URL", server.url("/v1beta1/vertex")),
    ];
    all.extend_from_slice(variables);
    let model = resolve("vertex:gemini-tide", &context(&all)).unwrap();
    // The token is cached: two requests, one token request.
    ask(model.as_ref(), ModelRequest::default()).await;
    ask(model.as_ref(), ModelRequest::default()).await
}

fn answers() -> Vec<Canned> {
    vec![Canned::sse(GOOGLE), Canned::sse(GOOGLE)]
}

fn credentials_file(folder: &tempfile::TempDir, content: &Value) -> String {
    let file = folder.path().join("credentials.json");
    std::fs::write(&file, content.to_string()).unwrap();
    file.display().to_string()
}

#[tokio::test]
async fn a_service_account_signs_for_a_token() {
    let server = Server::start(answers()).await;
    let folder = tempfile::tempdir().unwrap();
    let file = credentials_file(
        &folder,
        &json!({
            "type": "service_account",
            "client_email": "tide@harbour.example",
            "private_key": TEST_KEY,
            "token_uri": server.url("/token"),
        }),
    );
    let answer = ask_vertex(&server, &[("GOOGLE_APPLICATION_CREDENTIALS", file)]).await;
    assert_eq!((answer.text.as_str(), answer.error), (TEXT, None));
    assert_eq!(server.requests()[1].header("authorization"), Some("Bearer <key>"));
    assert_eq!(server.requests()[1].path, "/v1beta1/vertex/models/gemini-tide:streamGenerateContent?alt=sse");

    let forms = server.token_requests();
    assert_eq!(forms.len(), 1);
    let (grant, jwt) = forms[0].split_once("&assertion=").unwrap();
    assert_eq!(grant, "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant%2Dtype%3Ajwt%2Dbearer");
    let jwt = jwt.replace("%2E", ".").replace("%2D", "-").replace("%5F", "_");
    let parts: Vec<&str> = jwt.split('.').collect();
    let decode = |part: &str| URL_SAFE_NO_PAD.decode(part).unwrap();
    assert_eq!(serde_json::from_slice::<Value>(&decode(parts[0])).unwrap(), json!({ "alg": "RS256" }));
    let claims: Value = serde_json::from_slice(&decode(parts[1])).unwrap();
    assert_eq!(claims["iss"], "tide@harbour.example");
    assert_eq!(claims["scope"], "https://www.googleapis.com/auth/cloud-platform");
    assert_eq!(claims["aud"], "https://oauth2.googleapis.com/token");
    assert_eq!(claims["exp"].as_u64().unwrap() - claims["iat"].as_u64().unwrap(), 3600);
    let key = PrivatePkcs8KeyDer::from_pem_slice(TEST_KEY.as_bytes()).unwrap();
    let key = RsaKeyPair::from_pkcs8(key.secret_pkcs8_der()).unwrap();
    let signed = format!("{}.{}", parts[0], parts[1]);
    UnparsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA256, key.public_key().as_ref())
        .verify(signed.as_bytes(), &decode(parts[2]))
        .expect("the signature fits the key");
}

#[tokio::test]
async fn gclouds_own_file_is_found() {
    let server = Server::start(answers()).await;
    let folder = tempfile::tempdir().unwrap();
    let user = json!({
        "type": "authorized_user",
        "client_id": "an id",
        "client_secret": "a secret",
        "refresh_token": "1//token",
        "token_uri": server.url("/token"),
    });
    std::fs::write(folder.path().join("application_default_credentials.json"), user.to_string()).unwrap();
    let answer = ask_vertex(&server, &[("CLOUDSDK_CONFIG", folder.path().display().to_string())]).await;
    assert_eq!((answer.text.as_str(), answer.error), (TEXT, None));
    assert_eq!(
        server.token_requests(),
        ["refresh_token=1%2F%2Ftoken&client_id=an%20id&client_secret=a%20secret&grant_type=refresh%5Ftoken"]
    );
}

#[tokio::test]
async fn express_mode_needs_a_key_only() {
    let server = Server::start(answers()).await;
    let variables = [
        ("GOOGLE_VERTEX_API_KEY", "express-key".to_owned()),
        ("GOOGLE_VERTEX_BASE_URL", server.url("/v1/publishers/google")),
    ];
    let model = resolve("vertex:gemini-tide", &context(&variables)).unwrap();
    assert_eq!(ask(model.as_ref(), ModelRequest::default()).await.text, TEXT);
    assert_eq!(server.requests()[0].header("x-goog-api-key"), Some("express-key"));
    assert!(server.token_requests().is_empty());
}

#[tokio::test]
async fn credentials_that_cannot_be_used_end_the_run_before_a_request() {
    let server = Server::start(answers()).await;
    let folder = tempfile::tempdir().unwrap();
    let nowhere = ("CLOUDSDK_CONFIG", folder.path().display().to_string());
    // Nothing listens on the discard port.
    let no_metadata = ("GCE_METADATA_HOST", "127.0.0.1:9".to_owned());
    let error = ask_vertex(&server, &[nowhere, no_metadata]).await.error.unwrap();
    // A named server that is unreachable is a more useful error than missing credentials.
    assert_eq!(error.kind, ProviderErrorKind::Connection);
    assert!(error.message.contains("could not be reached"), "{}", error.message);
    let file = credentials_file(&folder, &json!({ "type": "gdch_service_account" }));
    let error = ask_vertex(&server, &[("GOOGLE_APPLICATION_CREDENTIALS", file)]).await.error.unwrap();
    assert_eq!(error.message, "Google credentials of type \"gdch_service_account\" are not supported.");
    let broken = json!({ "type": "service_account", "client_email": "a@b", "private_key": "no pem" });
    let file = credentials_file(&folder, &broken);
    let error = ask_vertex(&server, &[("GOOGLE_APPLICATION_CREDENTIALS", file)]).await.error.unwrap();
    assert!(error.message.contains("private_key"), "{error}");
    assert!(server.requests().is_empty());
}

#[tokio::test]
async fn bedrock_signs_with_keys() {
    let server = Server::start(vec![Canned::new(200, "application/vnd.amazon.eventstream", BEDROCK).pieces(9)]).await;
    let settings = ProviderSettings {
        base_url: Some(server.url("")),
        region: Some("eu-north-1".into()),
        access_key_id: Some("AKIDTEST".into()),
        secret_access_key: Some("secret-access".into()),
        session_token: Some("session-token".into()),
        ..ProviderSettings::default()
    };
    let model = create("bedrock", &settings, "arn:aws:bedrock:x/y", &context(&[])).unwrap();
    let answer = ask(model.as_ref(), ModelRequest::default()).await;
    assert_eq!((answer.text.as_str(), answer.error), (TEXT, None));
    let requests = &server.requests()[0];
    assert_eq!(requests.path, "/model/arn%3Aaws%3Abedrock%3Ax%2Fy/converse-stream");
    let authorization = requests.header("authorization").unwrap();
    assert!(authorization.starts_with("AWS4-HMAC-SHA256 Credential=AKIDTEST/"), "{authorization}");
    assert!(authorization.contains("/eu-north-1/bedrock/aws4_request"), "{authorization}");
    assert!(authorization.contains("SignedHeaders=host;x-amz-date;x-amz-security-token"), "{authorization}");
    assert_eq!(requests.header("x-amz-security-token"), Some("session-token"));
}
