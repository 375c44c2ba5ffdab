//! Microsoft Entra ID tokens for Azure OpenAI, against a local server in the role of Entra ID and the metadata
//! service.

use std::{collections::BTreeMap, rc::Rc};

use futures_util::future::join_all;
use lmthing_base::chat::ModelRequest;
use lmthing_providers::{ProviderContext, ProviderErrorKind, ProviderSettings, create, resolve};
use serde_json::{Value, json};

use crate::{
    steps::{Answer, ask},
    support::canned::{Canned, ReceivedRequest, Server},
};

const CHAT: &str =
    "data: {\"choices\":[{\"delta\":{\"content\":\"ebb\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";

/// A token response; metadata services write numbers as strings.
fn token(life: &Value) -> Canned {
    Canned::new(200, "application/json", json!({ "access_token": "entra-token", "expires_in": life }).to_string())
}

fn answer() -> Canned {
    Canned::sse(CHAT)
}

fn context(server: &Server, variables: &[(&str, String)]) -> ProviderContext {
    let mut env = BTreeMap::from([("AZURE_BASE_URL".to_owned(), server.url("/openai"))]);
    env.extend(variables.iter().map(|(name, value)| ((*name).to_owned(), value.clone())));
    ProviderContext::new(Rc::new(env))
}

async fn ask_azure(context: &ProviderContext) -> Answer {
    let model = create("azure.chat", &ProviderSettings::default(), "tides", context).unwrap();
    ask(model.as_ref(), ModelRequest::default()).await
}

/// Calls two models, which must share one token; returns the request for it.
async fn asked_for_token(server: &Server, context: &ProviderContext) -> ReceivedRequest {
    for answer in join_all([ask_azure(context), ask_azure(context)]).await {
        assert_eq!((answer.text.as_str(), answer.error), ("ebb", None));
    }
    let requests = server.requests();
    assert_eq!(requests.len(), 3, "one request for a token: {requests:?}");
    assert_eq!(requests[1].header("authorization"), Some("Bearer entra-token"));
    assert_eq!(requests[1].header("api-key"), None);
    requests[0].clone()
}

fn principal(server: &Server) -> Vec<(&'static str, String)> {
    vec![
        ("AZURE_TENANT_ID", "tenant".into()),
        ("AZURE_CLIENT_ID", "app id".into()),
        ("AZURE_AUTHORITY_HOST", server.url("/")),
    ]
}

#[tokio::test]
async fn a_service_principal_has_a_secret() {
    let server = Server::start(vec![token(&json!(3599)), answer(), answer()]).await;
    let mut variables = principal(&server);
    variables.push(("AZURE_CLIENT_SECRET", "client~secret".into()));
    let requests = asked_for_token(&server, &context(&server, &variables)).await;
    assert_eq!((requests.method.as_str(), requests.path.as_str()), ("POST", "/tenant/oauth2/v2.0/token"));
    assert_eq!(
        String::from_utf8(requests.body).unwrap(),
        "client_id=app%20id&scope=https%3A%2F%2Fcognitiveservices%2Eazure%2Ecom%2F%2Edefault&\
         grant_type=client%5Fcredentials&client_secret=client%7Esecret"
    );
}

#[tokio::test]
async fn a_federated_workload_has_a_file() {
    // The server refuses the first request.
    let busy = Canned::new(503, "text/plain", "busy");
    let server = Server::start(vec![busy, token(&json!(3599)), answer()]).await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("token");
    std::fs::write(&file, "a.b.c\n").unwrap();
    let mut variables = principal(&server);
    variables.push(("AZURE_FEDERATED_TOKEN_FILE", file.display().to_string()));
    assert_eq!(ask_azure(&context(&server, &variables)).await.text, "ebb");
    let form = String::from_utf8(server.requests()[1].body.clone()).unwrap();
    let assertion = "client_assertion_type=urn%3Aietf%3Aparams%3Aoauth%3Aclient%2Dassertion%2Dtype%3Ajwt%2Dbearer&\
                     client_assertion=a%2Eb%2Ec";
    assert!(form.ends_with(assertion), "{form}");
}

#[tokio::test]
async fn an_app_service_has_an_identity() {
    let server = Server::start(vec![token(&json!("86399")), answer(), answer()]).await;
    let variables = [
        ("IDENTITY_ENDPOINT", server.url("/msi/token")),
        ("IDENTITY_HEADER", "identity-header".into()),
        ("AZURE_CLIENT_ID", "mine".into()),
    ];
    let requests = asked_for_token(&server, &context(&server, &variables)).await;
    assert_eq!(requests.header("x-identity-header"), Some("identity-header"));
    assert_eq!(
        requests.path,
        "/msi/token?api-version=2019-08-01&resource=https%3A%2F%2Fcognitiveservices%2Eazure%2Ecom&client%5Fid=mine"
            .replace("client%5Fid", "client_id")
    );
}

#[tokio::test]
async fn a_virtual_machine_has_an_identity() {
    let server = Server::start(vec![token(&json!("3599")), answer(), answer()]).await;
    let variables = [("AZURE_POD_IDENTITY_AUTHORITY_HOST", server.url(""))];
    let requests = asked_for_token(&server, &context(&server, &variables)).await;
    assert_eq!(requests.header("metadata"), Some("true"));
    let path =
        "/metadata/identity/oauth2/token?api-version=2018-02-01&resource=https%3A%2F%2Fcognitiveservices%2Eazure%2Ecom";
    assert_eq!(requests.path, path);
}

#[tokio::test]
async fn a_token_may_be_given() {
    let server = Server::start(vec![answer(), answer(), answer()]).await;
    let given = [("AZURE_OPENAI_AD_TOKEN", "given-token\n".to_owned())];
    assert_eq!(ask_azure(&context(&server, &given)).await.text, "ebb");
    let settings = ProviderSettings { azure_ad_token: Some("script-token".into()), ..ProviderSettings::default() };
    // Settings of the script override the environment.
    let with_key = context(&server, &[("AZURE_API_KEY", "a-key".to_owned())]);
    let model = create("azure.chat", &settings, "tides", &with_key).unwrap();
    assert_eq!(ask(model.as_ref(), ModelRequest::default()).await.text, "ebb");
    assert_eq!(ask_azure(&with_key).await.text, "ebb");
    let requests = server.requests();
    assert_eq!(requests[0].header("authorization"), Some("Bearer given-token"));
    assert_eq!(requests[1].header("authorization"), Some("Bearer script-token"));
    assert_eq!((requests[2].header("authorization"), requests[2].header("api-key")), (None, Some("a-key")));
}

#[tokio::test]
async fn a_refusal_names_the_variables_and_no_secret() {
    let words = "AADSTS7000215: Invalid client secret 'client~secret-value' provided.\r\nTrace ID: 1";
    let refusal = json!({ "error": "invalid_client", "error_description": words });
    let server = Server::start(vec![Canned::new(401, "application/json", refusal.to_string())]).await;
    let mut variables = principal(&server);
    variables.push(("AZURE_CLIENT_SECRET", "client~secret-value".into()));
    let error = ask_azure(&context(&server, &variables)).await.error.unwrap();
    assert_eq!(error.kind, ProviderErrorKind::Authentication);
    assert_eq!(
        error.message,
        "Microsoft Entra ID refused the credentials (status 401): AADSTS7000215: Invalid client secret '[redacted]' provided."
    );
    assert_eq!(error.hint.as_deref(), Some("Check AZURE_TENANT_ID, AZURE_CLIENT_ID and AZURE_CLIENT_SECRET."));

    let half = [("AZURE_CLIENT_SECRET", "client~secret-value".to_owned())];
    let error = ask_azure(&context(&server, &half)).await.error.unwrap();
    assert!(error.message.contains("AZURE_TENANT_ID is not"), "{error}");
}

#[tokio::test]
async fn missing_credentials_list_the_alternatives() {
    let server = Server::start(Vec::new()).await;
    let resolved = resolve("azure:tides", &context(&server, &[])).unwrap();
    let error = ask(resolved.as_ref(), ModelRequest::default()).await.error.unwrap();
    assert_eq!(error.kind, ProviderErrorKind::Configuration);
    assert!(
        error.message.starts_with("Azure OpenAI API key is missing. Pass it using the 'apiKey' parameter"),
        "{error}"
    );
    for way in ["AZURE_CLIENT_SECRET", "AZURE_FEDERATED_TOKEN_FILE", "managed identity", "AZURE_OPENAI_AD_TOKEN"] {
        assert!(error.message.contains(way), "{error}");
    }
    assert!(error.hint.unwrap().contains("az account get-access-token"));
}
