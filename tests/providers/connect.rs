//! Connections to providers: certificates, proxies, base URLs, keys in unusual places, and hints in errors.

use std::{cell::RefCell, collections::BTreeMap, path::PathBuf, rc::Rc, time::Duration};

use lmthing_base::chat::{CallSettings, Message, ModelRequest, Role};
use lmthing_providers::{ProviderContext, ProviderErrorKind, ProviderEvent, ProviderSettings, create, resolve};

use crate::{
    proxies::{Proxy, dead_port},
    setup::{CHAT, TEXT},
    steps::{Answer, ask},
    support::{
        canned::{Canned, ReceivedRequest, Server},
        tls,
    },
};

/// The answer of a call, and the events before it.
struct Outcome {
    answer: Answer,
    events: Vec<ProviderEvent>,
}

impl Outcome {
    /// Message and hint of the failure.
    fn failure(&self) -> String {
        let error = self.answer.error.as_ref().expect("the call fails");
        format!("{} | {}", error.message, error.hint.as_deref().unwrap_or_default())
    }

    fn retries(&self) -> usize {
        self.events.iter().filter(|event| matches!(event, ProviderEvent::Retry { .. })).count()
    }

    fn worked(&self) {
        assert_eq!((self.answer.text.as_str(), &self.answer.error), (TEXT, &None));
    }

    fn failed(&self, words: &[&str], retries: usize) {
        let failure = self.failure();
        for word in words {
            assert!(failure.contains(word), "{word} is not in: {failure}");
        }
        assert!(!failure.contains("hunter"), "{failure}");
        assert_eq!(self.retries(), retries, "{failure}");
    }
}

fn request() -> ModelRequest {
    let messages = vec![Rc::new(Message::text(Role::User, "How high is the water?"))];
    ModelRequest { messages, tools: Vec::new(), settings: CallSettings::default(), ..ModelRequest::default() }
}

fn context(variables: &[(&str, String)]) -> (ProviderContext, Rc<RefCell<Vec<ProviderEvent>>>) {
    let env: BTreeMap<String, String> =
        variables.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
    let events = Rc::new(RefCell::new(Vec::new()));
    let sink = events.clone();
    let mut context = ProviderContext::new(Rc::new(env)).on_event(move |event| sink.borrow_mut().push(event.clone()));
    context.first_wait = Duration::from_millis(5);
    (context, events)
}

/// Calls the custom provider `lab` at this address, with these variables.
async fn lab(base_url: &str, others: &[(&str, String)]) -> Outcome {
    let own = [("LAB_API_BASE", base_url.to_owned()), ("LAB_API_TYPE", "openai".to_owned())];
    let (context, events) = context(&[own.as_slice(), others].concat());
    let model = resolve("lab:m", &context).unwrap();
    let answer = ask(model.as_ref(), request()).await;
    let events = events.borrow().clone();
    Outcome { answer, events }
}

async fn server() -> Server {
    Server::start(vec![Canned::sse(CHAT), Canned::sse(CHAT)]).await
}

fn only(server: &Server) -> ReceivedRequest {
    let requests = server.requests();
    assert_eq!(requests.len(), 1, "{requests:?}");
    requests[0].clone()
}

/// A variable that names a file with this content; dropping the folder deletes it.
fn certificate_file(variable: &'static str, pem: &str) -> ((&'static str, String), tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let path: PathBuf = folder.path().join("ca.pem");
    std::fs::write(&path, pem).unwrap();
    ((variable, path.to_str().unwrap().to_owned()), folder)
}

#[tokio::test]
async fn user_and_password_of_the_address_stand_in_for_a_key() {
    for (key, sent) in [("", "Basic YWRhOmh1bnRlcjIj"), ("sk-0123456789", "Bearer sk-0123456789")] {
        let server = server().await;
        let url = format!("http://ada:hunter2%23@127.0.0.1:{}//v1/?api-version=7&x", server.port);
        lab(&url, &[("LAB_API_KEY", key.to_owned())]).await.worked();
        let requests = only(&server);
        assert_eq!(requests.path, "/v1/chat/completions?api-version=7&x");
        assert_eq!(requests.header("authorization"), Some(sent));
    }
}

#[tokio::test]
async fn a_server_without_a_key_gets_no_authorization() {
    let server = server().await;
    lab(&server.url("/v1/chat/completions"), &[]).await.worked();
    let requests = only(&server);
    assert_eq!((requests.header("authorization"), requests.path.as_str()), (None, "/v1/chat/completions"));
}

#[tokio::test]
async fn a_header_of_ones_own_is_enough_for_any_provider() {
    let (context, _) = context(&[]);
    for provider in ["openai", "anthropic", "google", "mistral", "groq", "cohere", "azure", "bedrock"] {
        for header in ["Authorization", "api-key", "X-Api-Key", "x-goog-api-key"] {
            let server = server().await;
            let headers = [(header.to_owned(), "own-0123456789".to_owned())].into();
            let settings =
                ProviderSettings { base_url: Some(server.url("/v1")), headers, ..ProviderSettings::default() };
            let model = create(provider, &settings, "m", &context).unwrap();
            // The stream is not in this provider's format; only the request matters.
            ask(model.as_ref(), request()).await;
            assert_eq!(server.requests()[0].header(&header.to_lowercase()), Some("own-0123456789"), "{provider}");
        }
    }
}

#[tokio::test]
async fn certificates_of_named_files_are_believed() {
    let authority = tls::authority();
    let server = tls::serve(&authority.server(&["localhost", "127.0.0.1"], false), CHAT).await;
    let url = format!("https://localhost:{server}/v1");
    lab(&url, &[]).await.failed(&["an authority that is not known", "SSL_CERT_FILE or NODE_EXTRA_CA_CERTS"], 0);
    for variable in ["SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS"] {
        let (named, _folder) = certificate_file(variable, &authority.pem());
        lab(&url, &[named]).await.worked();
    }
    let missing = ("SSL_CERT_FILE", "/no/such.pem".to_owned());
    let (named, _folder) = certificate_file("NODE_EXTRA_CA_CERTS", &authority.pem());
    let outcome = lab(&url, &[missing, named]).await;
    outcome.worked();
    let ProviderEvent::Warning { message } = &outcome.events[0] else { panic!("{:?}", outcome.events) };
    assert!(message.starts_with("SSL_CERT_FILE names /no/such.pem, which cannot be read"), "{message}");
}

#[tokio::test]
async fn a_self_signed_openssl_certificate_is_trusted_when_named() {
    let own = tls::self_signed(&["localhost"]);
    let port = tls::serve(&own, CHAT).await;
    let url = format!("https://localhost:{port}/v1");
    lab(&url, &[]).await.failed(&["signed by itself", "this very certificate"], 0);
    let (named, _folder) = certificate_file("SSL_CERT_FILE", &own.pem());
    lab(&url, std::slice::from_ref(&named)).await.worked();
    // The certificate is trusted for its own host only.
    lab(&format!("https://127.0.0.1:{port}/v1"), &[named]).await.failed(&["for another host", "localhost"], 0);
}

#[tokio::test]
async fn an_invalid_certificate_is_reported_and_not_retried() {
    let authority = tls::authority();
    let (named, _folder) = certificate_file("SSL_CERT_FILE", &authority.pem());
    let named = [named];
    let other = tls::serve(&authority.server(&["other.test"], false), CHAT).await;
    let url = format!("https://localhost:{other}/v1");
    lab(&url, &named).await.failed(&["the server's certificate is for another host", "It names other.test"], 0);
    let old = tls::serve(&authority.server(&["localhost"], true), CHAT).await;
    let url = format!("https://localhost:{old}/v1");
    lab(&url, &named).await.failed(&["the server's certificate has expired", "2001", "the clock"], 0);
}

#[tokio::test]
async fn the_wrong_scheme_is_reported() {
    let plain = tls::answer_anything(b"HTTP/1.0 400 Bad Request\r\n\r\n").await;
    let url = format!("https://127.0.0.1:{plain}/v1");
    lab(&url, &[])
        .await
        .failed(&["does not speak TLS", &format!("Use http:// in the base URL (http://127.0.0.1:{plain}")], 0);
    let port = tls::serve(&tls::self_signed(&["localhost"]), CHAT).await;
    lab(&format!("http://127.0.0.1:{port}/v1"), &[]).await.failed(&["use https:// in the base URL"], 0);
    let other = tls::answer_anything(b"SSH-2.0-OpenSSH_9.2\r\n").await;
    lab(&format!("http://127.0.0.1:{other}/v1"), &[]).await.failed(&["does not speak HTTP", "Is the port right?"], 0);
}

#[tokio::test]
async fn an_unreachable_server_is_reported_and_retried_where_useful() {
    let url = format!("http://127.0.0.1:{}/v1", dead_port().await);
    lab(&url, &[]).await.failed(&["Connection refused", "Is the server running"], 2);
    let own = [("OLLAMA_API_BASE", url), ("OLLAMA_API_TYPE", "openai".to_owned())];
    let (context, _) = context(&own);
    let error = ask(resolve("ollama:m", &context).unwrap().as_ref(), request()).await.error.unwrap();
    assert_eq!(error.kind, ProviderErrorKind::Connection);
    assert!(error.hint.unwrap().ends_with("Start it with: ollama serve"));
    lab("http://nowhere.invalid/v1", &[]).await.failed(&["the host name is not known (nowhere.invalid)"], 1);
}

#[tokio::test]
async fn requests_go_through_proxies_of_every_kind() {
    let authority = tls::authority();
    let secure = tls::serve(&authority.server(&["model.test"], false), CHAT).await;
    let (certificates, _folder) = certificate_file("SSL_CERT_FILE", &authority.pem());
    for (variable, scheme, user) in [
        ("HTTP_PROXY", "", ""),
        ("http_proxy", "http://", "ada:pa%23ss@"),
        ("ALL_PROXY", "socks5h://", ""),
        ("all_proxy", "socks5h://", "ada:pa%23ss@"),
    ] {
        let (plain, proxy) = (server().await, Proxy::start(!user.is_empty()).await);
        let value = format!("{scheme}{user}127.0.0.1:{}", proxy.port);
        lab(&format!("http://model.test:{}/v1", plain.port), &[(variable, value.clone())]).await.worked();
        assert_eq!(proxy.requests(), [format!("model.test:{}", plain.port)], "{variable}");
        let variable = if variable.eq_ignore_ascii_case("HTTP_PROXY") { "HTTPS_PROXY" } else { variable };
        lab(&format!("https://model.test:{secure}/v1"), &[(variable, value), certificates.clone()]).await.worked();
        assert_eq!(proxy.requests().last(), Some(&format!("model.test:{secure}")));
    }
}

#[tokio::test]
async fn no_proxy_names_what_is_reached_directly() {
    let server = server().await;
    let dead = format!("http://ada:hunter2@127.0.0.1:{}", dead_port().await);
    let url = server.url("/v1");
    let proxy = ("HTTP_PROXY", dead.clone());
    lab(&url, &[proxy.clone(), ("NO_PROXY", "localhost,127.0.0.1".to_owned())]).await.worked();
    let dead = dead.rsplit('@').next().unwrap();
    let words = [&*format!("the proxy {dead} (HTTP_PROXY): Connection refused"), "NO_PROXY=localhost,127.0.0.1"];
    lab(&url, &[proxy, ("NO_PROXY", "example.com".to_owned())]).await.failed(&words, 2);
}

#[tokio::test]
async fn a_proxy_that_requires_a_password_is_reported() {
    let proxy = Proxy::start(true).await;
    for scheme in ["http", "socks5h"] {
        for url in ["https://model.test/v1", "http://model.test/v1"] {
            let without = ("ALL_PROXY", format!("{scheme}://127.0.0.1:{}", proxy.port));
            let words = ["(ALL_PROXY) wants a user name and a password", "USER:PASSWORD@127.0.0.1:"];
            lab(url, &[without]).await.failed(&words, 0);
            let wrong = ("ALL_PROXY", format!("{scheme}://ada:hunter2@127.0.0.1:{}", proxy.port));
            lab(url, &[wrong]).await.failed(&["does not accept the user name and password"], 0);
        }
    }
    let none = ("HTTPS_PROXY", "ftp://ada:hunter2@h".to_owned());
    lab("https://model.test/v1", &[none]).await.failed(&["HTTPS_PROXY is no usable address"], 0);
}

#[tokio::test]
async fn models_of_one_address_share_their_connections() {
    let server = Server::start(vec![Canned::sse(CHAT); 3]).await;
    for _ in 0..3 {
        lab(&server.url("/v1"), &[]).await.worked();
    }
    assert_eq!(server.connections(), 1);
}
