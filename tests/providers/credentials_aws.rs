//! Sources of Bedrock's keys besides variables: profiles, single sign-on, roles; against a local server in the role of
//! AWS.

use std::{collections::BTreeMap, fs, path::Path, rc::Rc};

use futures_util::future::join_all;
use lmthing_base::chat::ModelRequest;
use lmthing_providers::{ProviderContext, ProviderErrorKind, resolve};
use serde_json::{Value, json};
use sha1::{Digest, Sha1};

use crate::{
    setup::{BEDROCK, TEXT},
    steps::{Answer, ask},
    support::canned::{Canned, Server},
};

fn answer() -> Canned {
    Canned::new(200, "application/vnd.amazon.eventstream", BEDROCK)
}

/// A home directory with these files.
fn home(files: &[(&str, String)]) -> tempfile::TempDir {
    let home = tempfile::tempdir().unwrap();
    for (path, content) in files {
        let path = home.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    home
}

fn context(server: &Server, home: &Path, variables: &[(&str, String)]) -> ProviderContext {
    let mut env = BTreeMap::from([
        ("HOME".to_owned(), home.display().to_string()),
        ("AWS_ENDPOINT_URL_BEDROCK_RUNTIME".to_owned(), server.url("")),
        ("AWS_EC2_METADATA_DISABLED".to_owned(), "true".to_owned()),
    ]);
    env.extend(variables.iter().map(|(name, value)| ((*name).to_owned(), value.clone())));
    ProviderContext::new(Rc::new(env))
}

async fn ask_bedrock(context: &ProviderContext) -> Answer {
    ask(resolve("bedrock:m", context).unwrap().as_ref(), ModelRequest::default()).await
}

/// Calls the model once; asserts the key and the region of the request's signature.
async fn signed(server: &Server, context: &ProviderContext, key_and_region: (&str, &str)) {
    let answer = ask_bedrock(context).await;
    assert_eq!((answer.text.as_str(), answer.error), (TEXT, None));
    let requests = server.requests();
    let authorization = requests.last().unwrap().header("authorization").unwrap().to_owned();
    let (key, region) = key_and_region;
    assert!(authorization.contains(&format!("Credential={key}/")), "{authorization}");
    assert!(authorization.contains(&format!("/{region}/bedrock/aws4_request")), "{authorization}");
}

fn keys(id: &str) -> Value {
    json!({
        "AccessKeyId": id,
        "SecretAccessKey": "fetched-secret-access-key",
        "Token": "fetched-session-token",
        "Expiration": "2099-01-01T00:00:00Z",
    })
}

fn role_answer(operation: &str) -> Canned {
    let body = format!(
        "<{operation}Response xmlns=\"https://sts.amazonaws.com/doc/2011-06-15/\"><{operation}Result><Credentials>\
         <AccessKeyId>ASIAROLE</AccessKeyId><SecretAccessKey>role-secret</SecretAccessKey>\
         <SessionToken>role-token</SessionToken><Expiration>2099-01-01T00:00:00Z</Expiration></Credentials>\
         <AssumedRoleUser><Arn>arn:aws:sts::1:assumed-role/r/s</Arn><AssumedRoleId>A:s</AssumedRoleId></AssumedRoleUser>\
         </{operation}Result><ResponseMetadata><RequestId>1</RequestId></ResponseMetadata></{operation}Response>"
    );
    Canned::new(200, "text/xml", body)
}

#[tokio::test]
async fn a_profile_has_keys_and_a_region() {
    let server = Server::start(vec![answer(), answer(), answer()]).await;
    let home = home(&[
        (".aws/config", "[default]\nregion = eu-west-3\n[profile lab]\nregion = eu-north-1\n".into()),
        (
            ".aws/credentials",
            "[default]\naws_access_key_id = AKIDEFAULT\naws_secret_access_key = s\n[lab]\naws_access_key_id = AKIDLAB\n\
             aws_secret_access_key = t\naws_session_token = lab-session-token\n"
                .into(),
        ),
    ]);
    signed(&server, &context(&server, home.path(), &[]), ("AKIDEFAULT", "eu-west-3")).await;
    let lab = [("AWS_PROFILE", "lab".to_owned())];
    signed(&server, &context(&server, home.path(), &lab), ("AKIDLAB", "eu-north-1")).await;
    assert_eq!(server.requests()[1].header("x-amz-security-token"), Some("lab-session-token"));
    let region = [("AWS_PROFILE", "lab".to_owned()), ("AWS_DEFAULT_REGION", "ap-south-1".to_owned())];
    signed(&server, &context(&server, home.path(), &region), ("AKIDLAB", "ap-south-1")).await;
}

#[tokio::test]
async fn a_credential_program_runs_once_for_concurrent_requests() {
    let server = Server::start(vec![answer(), answer(), answer()]).await;
    let home = home(&[]);
    let (program, log) = (home.path().join("keys.sh"), home.path().join("log"));
    let printed = json!({
        "Version": 1, "AccessKeyId": "ASIAPROCESS", "SecretAccessKey": "s", "SessionToken": "t",
        "Expiration": "2099-01-01T00:00:00Z",
    });
    fs::write(&program, format!("echo x >> {}\necho '{printed}'\n", log.display())).unwrap();
    let config = format!("[profile lab]\ncredential_process = sh {}\n", program.display());
    fs::write(home.path().join("config"), config).unwrap();
    let file = home.path().join("config").display().to_string();
    let context = context(&server, home.path(), &[("AWS_PROFILE", "lab".into()), ("AWS_CONFIG_FILE", file)]);
    let answers = join_all((0..3).map(|_| ask_bedrock(&context))).await;
    assert!(answers.iter().all(|answer| answer.text == TEXT), "{answers:?}");
    assert_eq!(fs::read_to_string(log).unwrap(), "x\n");
    assert!(server.requests()[2].header("authorization").unwrap().contains("Credential=ASIAPROCESS/"));
}

fn signed_in(expires_at: &str) -> tempfile::TempDir {
    let name: String = Sha1::digest(b"work").iter().map(|byte| format!("{byte:02x}")).collect();
    let token = json!({ "accessToken": "sso-access-token", "expiresAt": expires_at, "region": "eu-west-1" });
    home(&[
        (
            ".aws/config",
            "[default]\nsso_session = work\nsso_account_id = 123456789012\nsso_role_name = Reader\nregion = eu-west-1\n\
             [sso-session work]\nsso_region = eu-west-1\nsso_start_url = https://work.example/start\n"
                .into(),
        ),
        (&format!(".aws/sso/cache/{name}.json"), token.to_string()),
    ])
}

#[tokio::test]
async fn single_sign_on_gives_the_keys_of_a_role() {
    let role = json!({ "roleCredentials": {
        "accessKeyId": "ASIASSO", "secretAccessKey": "s", "sessionToken": "t", "expiration": 4_070_908_800_000_u64,
    }});
    let server = Server::start(vec![Canned::json(&role), answer()]).await;
    let home = signed_in("2099-01-01T00:00:00Z");
    let portal = [("AWS_ENDPOINT_URL_SSO", server.url(""))];
    signed(&server, &context(&server, home.path(), &portal), ("ASIASSO", "eu-west-1")).await;
    let requests = &server.requests()[0];
    assert_eq!(requests.path, "/federation/credentials?role_name=Reader&account_id=123456789012");
    assert_eq!(requests.header("x-amz-sso_bearer_token"), Some("sso-access-token"));
}

#[tokio::test]
async fn an_expired_sign_in_explains_how_to_sign_in() {
    let refusal = r#"{"message":"Session token sso-access-token not found or invalid"}"#;
    let refusal = Canned::new(401, "application/json", refusal).header("x-amzn-errortype", "UnauthorizedException");
    let server = Server::start(vec![refusal]).await;
    let portal = [("AWS_ENDPOINT_URL_SSO", server.url(""))];
    for expires_at in ["2099-01-01T00:00:00Z", "2020-01-01T00:00:00Z"] {
        let home = signed_in(expires_at);
        let error = ask_bedrock(&context(&server, home.path(), &portal)).await.error.unwrap();
        assert_eq!(error.kind, ProviderErrorKind::Authentication, "{error}");
        assert!(
            error.message.starts_with("The AWS credentials of the profile \"default\" could not be had: "),
            "{error}"
        );
        assert!(!error.message.contains("sso-access-token"), "{error}");
        assert_eq!(error.hint.as_deref(), Some("Sign in: aws sso login --profile default"));
    }
}

#[tokio::test]
async fn a_profile_takes_on_a_role() {
    let server = Server::start(vec![role_answer("AssumeRole"), answer()]).await;
    let config = "[profile base]\naws_access_key_id = AKIDBASE\naws_secret_access_key = s\n[profile lab]\n\
                  role_arn = arn:aws:iam::1:role/r\nsource_profile = base\nexternal_id = door\nregion = eu-west-1\n";
    let home = home(&[(".aws/config", config.into())]);
    let variables = [("AWS_PROFILE", "lab".to_owned()), ("AWS_ENDPOINT_URL_STS", server.url(""))];
    signed(&server, &context(&server, home.path(), &variables), ("ASIAROLE", "eu-west-1")).await;
    let form = String::from_utf8(server.requests()[0].body.clone()).unwrap();
    assert!(form.contains("Action=AssumeRole") && form.contains("ExternalId=door"), "{form}");
    assert!(server.requests()[0].header("authorization").unwrap().contains("Credential=AKIDBASE/"));
}

#[tokio::test]
async fn a_web_identity_takes_on_a_role() {
    let refusal = "<ErrorResponse><Error><Type>Sender</Type><Code>AccessDenied</Code><Message>Not authorized: \
                   header.payload.signature</Message></Error><RequestId>1</RequestId></ErrorResponse>";
    let refusal = Canned::new(403, "text/xml", refusal);
    let server = Server::start(vec![refusal, role_answer("AssumeRoleWithWebIdentity"), answer()]).await;
    let home = home(&[("token", "header.payload.signature".into())]);
    let variables = [
        ("AWS_WEB_IDENTITY_TOKEN_FILE", home.path().join("token").display().to_string()),
        ("AWS_ROLE_ARN", "arn:aws:iam::1:role/r".to_owned()),
        ("AWS_REGION", "eu-west-1".to_owned()),
        ("AWS_ENDPOINT_URL_STS", server.url("")),
    ];
    let context = context(&server, home.path(), &variables);
    let error = ask_bedrock(&context).await.error.unwrap();
    assert!(error.message.contains("of the web identity could not be had"), "{error}");
    assert!(error.message.contains("AccessDenied") || error.message.contains("Not authorized"), "{error}");
    signed(&server, &context, ("ASIAROLE", "eu-west-1")).await;
    let form = String::from_utf8(server.requests()[1].body.clone()).unwrap();
    assert!(form.contains("WebIdentityToken=header.payload.signature"), "{form}");
}

#[tokio::test]
async fn a_container_has_a_role() {
    let server = Server::start(vec![Canned::json(&keys("ASIATASK")), answer()]).await;
    let home = home(&[("token", "container-token".into())]);
    let variables = [
        ("AWS_CONTAINER_CREDENTIALS_FULL_URI", server.url("/role")),
        ("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", home.path().join("token").display().to_string()),
    ];
    signed(&server, &context(&server, home.path(), &variables), ("ASIATASK", "us-east-1")).await;
    assert_eq!(server.requests()[0].path, "/role");
    assert_eq!(server.requests()[0].header("authorization"), Some("container-token"));
    assert_eq!(server.requests()[1].header("x-amz-security-token"), Some("fetched-session-token"));
}

#[tokio::test]
async fn an_instance_has_a_role() {
    let metadata =
        |text: &str| Canned::new(200, "text/plain", text).header("x-aws-ec2-metadata-token-ttl-seconds", "21600");
    let answers = vec![metadata("metadata-token"), metadata("reader"), Canned::json(&instance_keys()), answer()];
    let server = Server::start(answers).await;
    let home = home(&[]);
    let variables = [
        ("AWS_EC2_METADATA_SERVICE_ENDPOINT", server.url("")),
        ("AWS_EC2_METADATA_DISABLED", "false".to_owned()),
        ("AWS_REGION", "eu-west-1".to_owned()),
    ];
    signed(&server, &context(&server, home.path(), &variables), ("ASIAINSTANCE", "eu-west-1")).await;
    let requests = server.requests();
    let first: Vec<(&str, &str)> =
        requests.iter().map(|request| (request.method.as_str(), request.path.as_str())).collect();
    assert_eq!(first[0], ("PUT", "/latest/api/token"));
    assert!(first[2].1.ends_with("/reader"), "{first:?}");
    assert_eq!(requests[2].header("x-aws-ec2-metadata-token"), Some("metadata-token"));
}

fn instance_keys() -> Value {
    let mut keys = keys("ASIAINSTANCE");
    keys["Code"] = "Success".into();
    keys["Type"] = "AWS-HMAC".into();
    keys["LastUpdated"] = "2025-01-01T00:00:00Z".into();
    keys
}

#[tokio::test]
async fn missing_settings_are_reported_before_a_request() {
    let server = Server::start(Vec::new()).await;
    let home = home(&[(".aws/config", "[profile lab]\nregion = eu-west-1\n".into())]);
    let error = ask_bedrock(&context(&server, home.path(), &[])).await.error.unwrap();
    assert_eq!(error.kind, ProviderErrorKind::Configuration);
    assert!(
        error.message.starts_with("AWS SigV4 authentication requires AWS credentials. Set AWS_ACCESS_KEY_ID"),
        "{error}"
    );
    let other = [("AWS_PROFILE", "other".to_owned())];
    let error = ask_bedrock(&context(&server, home.path(), &other)).await.error.unwrap();
    assert!(error.message.contains("\"other\" is neither in the config file nor"), "{error}");
    assert!(error.message.ends_with("The profiles in them: lab."), "{error}");
    let half = [("AWS_ACCESS_KEY_ID", "AKIDHALF".to_owned())];
    let error = ask_bedrock(&context(&server, home.path(), &half)).await.error.unwrap();
    assert!(error.message.starts_with("AWS SigV4 authentication requires AWS credentials."), "{error}");
    assert!(server.requests().is_empty());
}
