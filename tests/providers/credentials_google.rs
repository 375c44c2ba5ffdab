//! Workload identity and impersonation for Vertex, against a local server in the role of Google, AWS and an identity
//! provider.

use std::{collections::BTreeMap, path::Path, rc::Rc};

use futures_util::future::join_all;
use lmthing_base::chat::ModelRequest;
use lmthing_providers::{ProviderContext, ProviderErrorKind, resolve};
use serde_json::{Value, json};

use crate::{
    setup::{GOOGLE, TEXT},
    steps::{Answer, ask},
    support::canned::{Canned, ReceivedRequest, Server},
};

const SCOPE: &str = "https://www.googleapis.com/auth/cloud-platform";

fn answer() -> Canned {
    Canned::sse(GOOGLE)
}

fn token(token: &str) -> Canned {
    Canned::json(&json!({ "access_token": token, "expires_in": 3599, "token_type": "Bearer" }))
}

fn impersonated() -> Canned {
    Canned::json(&json!({ "accessToken": "robot-token", "expireTime": "2099-01-01T00:00:00Z" }))
}

/// Workload identity credentials with this source.
fn workload(server: &Server, source: &Value) -> Value {
    json!({
        "type": "external_account",
        "audience": "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/q",
        "subject_token_type": "urn:ietf:params:oauth:token-type:jwt",
        "token_url": server.url("/v1/token"),
        "credential_source": source,
    })
}

fn context(server: &Server, folder: &Path, credentials: &Value, variables: &[(&str, String)]) -> ProviderContext {
    let file = folder.join("credentials.json");
    std::fs::write(&file, credentials.to_string()).unwrap();
    let mut env = BTreeMap::from([
        ("GOOGLE_CLOUD_PROJECT".to_owned(), "harbour".to_owned()),
        ("GOOGLE_VERTEX_BASE_URL".to_owned(), server.url("/vertex")),
        ("GOOGLE_APPLICATION_CREDENTIALS".to_owned(), file.display().to_string()),
    ]);
    env.extend(variables.iter().map(|(name, value)| ((*name).to_owned(), value.clone())));
    ProviderContext::new(Rc::new(env))
}

async fn ask_vertex(context: &ProviderContext) -> Answer {
    ask(resolve("vertex:gemini-tide", context).unwrap().as_ref(), ModelRequest::default()).await
}

/// The requests of a call that succeeds; the last one is the model's.
async fn answered(server: &Server, context: &ProviderContext) -> Vec<ReceivedRequest> {
    let answer = ask_vertex(context).await;
    assert_eq!((answer.text.as_str(), answer.error), (TEXT, None));
    server.requests()
}

fn fields(requests: &ReceivedRequest) -> BTreeMap<String, String> {
    url::form_urlencoded::parse(&requests.body).into_owned().collect()
}

#[tokio::test]
async fn a_workload_has_a_file() {
    let server = Server::start(vec![token("federated-token"), answer(), answer()]).await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("subject");
    std::fs::write(&file, r#"{"id_token":"a.b.c"}"#).unwrap();
    let format = json!({ "type": "json", "subject_token_field_name": "id_token" });
    let mut credentials = workload(&server, &json!({ "file": file, "format": format }));
    credentials["quota_project_id"] = "payer".into();
    let context = context(&server, folder.path(), &credentials, &[]);
    // Two concurrent calls share one token.
    for answer in join_all([ask_vertex(&context), ask_vertex(&context)]).await {
        assert_eq!((answer.text.as_str(), answer.error), (TEXT, None));
    }
    let requests = server.requests();
    assert_eq!((requests.len(), requests[0].path.as_str()), (3, "/v1/token"));
    let expected = [
        ("audience", credentials["audience"].as_str().unwrap()),
        ("grant_type", "urn:ietf:params:oauth:grant-type:token-exchange"),
        ("requested_token_type", "urn:ietf:params:oauth:token-type:access_token"),
        ("scope", SCOPE),
        ("subject_token", "a.b.c"),
        ("subject_token_type", "urn:ietf:params:oauth:token-type:jwt"),
    ];
    assert_eq!(fields(&requests[0]), expected.map(|(name, value)| (name.to_owned(), value.to_owned())).into());
    assert_eq!(requests[1].header("authorization"), Some("Bearer federated-token"));
    assert_eq!(requests[1].header("x-goog-user-project"), Some("payer"));
}

#[tokio::test]
async fn a_workload_asks_its_provider_and_acts_as_a_robot() {
    let subject = Canned::new(200, "text/plain", "a.b.c\n");
    let server = Server::start(vec![subject, token("federated-token"), impersonated(), answer()]).await;
    let folder = tempfile::tempdir().unwrap();
    let source = json!({ "url": server.url("/subject?x=1"), "headers": { "X-Secret": "sesame" } });
    let mut credentials = workload(&server, &source);
    credentials["service_account_impersonation_url"] = server.url("/robots/r:generateAccessToken").into();
    credentials["service_account_impersonation"] = json!({ "token_lifetime_seconds": 600 });
    let variables = [("GOOGLE_CLOUD_QUOTA_PROJECT", "payer".to_owned())];
    let requests = answered(&server, &context(&server, folder.path(), &credentials, &variables)).await;
    assert_eq!((requests[0].path.as_str(), requests[0].header("x-secret")), ("/subject?x=1", Some("sesame")));
    assert_eq!(fields(&requests[1])["subject_token"], "a.b.c");
    assert_eq!(requests[2].path, "/robots/r:generateAccessToken");
    assert_eq!(requests[2].header("authorization"), Some("Bearer federated-token"));
    assert_eq!(requests[2].json(), json!({ "delegates": [], "scope": [SCOPE], "lifetime": "600s" }));
    assert_eq!(requests[3].header("authorization"), Some("Bearer robot-token"));
    assert_eq!(requests[3].header("x-goog-user-project"), Some("payer"));
}

#[tokio::test]
async fn a_program_is_run_only_if_that_is_allowed() {
    let server = Server::start(vec![token("federated-token"), answer()]).await;
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("subject.sh");
    let jwt =
        r#"{"version":1,"success":true,"token_type":"urn:ietf:params:oauth:token-type:id_token","id_token":"%s"}"#;
    std::fs::write(
        &program,
        format!("printf '{jwt}' \"$1-$GOOGLE_EXTERNAL_ACCOUNT_TOKEN_TYPE-$TIDE-$CARGO_PKG_NAME\""),
    )
    .unwrap();
    let command = format!("sh {} 'a b'", program.display());
    let credentials = workload(&server, &json!({ "executable": { "command": command, "timeout_millis": 5000 } }));
    let error = ask_vertex(&context(&server, folder.path(), &credentials, &[])).await.error.unwrap();
    assert_eq!(error.kind, ProviderErrorKind::Configuration);
    assert!(error.hint.unwrap().contains("GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES=1"));
    // The program gets the variables of the run, not those of this process.
    let (yes, path) = ("1".to_owned(), std::env::var("PATH").unwrap());
    assert!(std::env::var("CARGO_PKG_NAME").is_ok());
    let allowed = [("GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES", yes), ("TIDE", "ebb".to_owned()), ("PATH", path)];
    let requests = answered(&server, &context(&server, folder.path(), &credentials, &allowed)).await;
    assert_eq!(fields(&requests[0])["subject_token"], "a b-urn:ietf:params:oauth:token-type:jwt-ebb-");
}

#[tokio::test]
async fn keys_of_aws_sign_a_question_for_google() {
    let keys = json!({ "AccessKeyId": "ASIAMACHINE", "SecretAccessKey": "s", "Token": "machine-session" });
    let text = |text: &str| Canned::new(200, "text/plain", text);
    let answers = vec![
        text("session"),
        text("eu-west-1b"),
        text("reader"),
        Canned::json(&keys),
        token("federated-token"),
        answer(),
    ];
    let server = Server::start(answers).await;
    let folder = tempfile::tempdir().unwrap();
    let source = json!({
        "environment_id": "aws1",
        "region_url": server.url("/zone"),
        "url": server.url("/roles"),
        "imdsv2_session_token_url": server.url("/session"),
        "regional_cred_verification_url": "https://sts.{region}.amazonaws.com?Action=GetCallerIdentity&Version=2011-06-15",
    });
    let credentials = workload(&server, &source);
    let requests = answered(&server, &context(&server, folder.path(), &credentials, &[])).await;
    let paths: Vec<&str> = requests[..4].iter().map(|request| request.path.as_str()).collect();
    assert_eq!(paths, ["/session", "/zone", "/roles", "/roles/reader"]);
    assert_eq!(requests[0].method, "PUT");
    assert_eq!(requests[3].header("x-aws-ec2-metadata-token"), Some("session"));
    let question = fields(&requests[4])["subject_token"].clone();
    let question = percent_encoding::percent_decode_str(&question).decode_utf8().unwrap().into_owned();
    let question: Value = serde_json::from_str(&question).unwrap();
    assert_eq!(question["url"], "https://sts.eu-west-1.amazonaws.com?Action=GetCallerIdentity&Version=2011-06-15");
    assert_eq!(question["method"], "POST");
    let header = |name: &str| {
        let headers = question["headers"].as_array().unwrap();
        let found = headers.iter().find(|header| header["key"].as_str().unwrap().eq_ignore_ascii_case(name));
        found.unwrap()["value"].as_str().unwrap().to_owned()
    };
    assert_eq!(header("x-goog-cloud-target-resource"), credentials["audience"].as_str().unwrap());
    assert_eq!(
        (header("host").as_str(), header("x-amz-security-token").as_str()),
        ("sts.eu-west-1.amazonaws.com", "machine-session")
    );
    let authorization = header("authorization");
    assert!(
        authorization.contains("Credential=ASIAMACHINE/") && authorization.contains("/eu-west-1/sts/"),
        "{authorization}"
    );
    assert!(authorization.contains("x-goog-cloud-target-resource"), "{authorization}");
}

#[tokio::test]
async fn a_user_can_impersonate_a_service_account() {
    let server = Server::start(vec![token("user-token"), impersonated(), answer()]).await;
    let folder = tempfile::tempdir().unwrap();
    let credentials = json!({
        "type": "impersonated_service_account",
        "service_account_impersonation_url": server.url("/robots/r:generateAccessToken"),
        "delegates": ["d"],
        "source_credentials": {
            "type": "authorized_user",
            "client_id": "an id",
            "client_secret": "a secret",
            "refresh_token": "1//token",
            "token_uri": server.url("/oauth"),
        },
    });
    let requests = answered(&server, &context(&server, folder.path(), &credentials, &[])).await;
    assert_eq!(requests[1].header("authorization"), Some("Bearer user-token"));
    assert_eq!(requests[1].json()["delegates"], json!(["d"]));
    assert_eq!(requests[2].header("authorization"), Some("Bearer robot-token"));
    assert_eq!(requests[2].header("x-goog-user-project"), None);
}

#[tokio::test]
async fn refusals_are_reported_without_the_token() {
    let words = json!({ "error": "invalid_grant", "error_description": "ID Token header.payload.signature is stale" });
    let denied =
        json!({ "error": { "code": 403, "message": "Permission 'getAccessToken' denied", "status": "DENIED" } });
    let refused = |status, body: &Value| Canned::new(status, "application/json", body.to_string());
    let server = Server::start(vec![refused(400, &words), token("federated-token"), refused(403, &denied)]).await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("subject");
    std::fs::write(&file, "header.payload.signature").unwrap();
    let mut credentials = workload(&server, &json!({ "file": file }));
    credentials["service_account_impersonation_url"] = server.url("/robots/r:generateAccessToken").into();
    let with_robot = context(&server, folder.path(), &credentials, &[]);
    let error = ask_vertex(&with_robot).await.error.unwrap();
    assert_eq!(error.kind, ProviderErrorKind::Authentication);
    assert_eq!(
        error.message,
        "Google's Security Token Service refused the credentials (status 400): ID Token [redacted] is stale"
    );
    let error = ask_vertex(&with_robot).await.error.unwrap();
    assert!(error.message.starts_with("Google's service for impersonation refused the credentials (status 403): Perm"));
    std::fs::remove_file(&file).unwrap();
    let error = ask_vertex(&with_robot).await.error.unwrap();
    assert!(error.message.contains("credential_source.file") && error.message.contains("cannot be read"), "{error}");
}

#[tokio::test]
async fn a_metadata_server_that_is_named_has_to_be_there() {
    let env = ["GCE_METADATA_HOST", "GOOGLE_CLOUD_PROJECT"].map(|name| (name.to_owned(), "127.0.0.1:1".to_owned()));
    let context = ProviderContext::new(Rc::new(BTreeMap::from(env)));
    let error = ask_vertex(&context).await.error.unwrap();
    assert_eq!(error.kind, ProviderErrorKind::Connection);
    assert!(error.message.starts_with("The metadata server of Google Cloud could not be reached: "), "{error}");
}

#[test]
fn the_project_may_stand_in_the_credentials() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("robot.json");
    std::fs::write(&file, r#"{"type":"service_account","project_id":"harbour"}"#).unwrap();
    let env = BTreeMap::from([("GOOGLE_APPLICATION_CREDENTIALS".to_owned(), file.display().to_string())]);
    assert!(resolve("vertex:gemini-tide", &ProviderContext::new(Rc::new(env))).is_ok());
}
