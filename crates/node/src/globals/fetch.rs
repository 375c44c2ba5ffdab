//! Network half of `fetch`: sends one request and streams both bodies.
//!
//! JavaScript (`web/fetch.js`) handles redirects, headers and body types. Dropping an exchange, by `abort` or garbage
//! collection, closes its connection.

use std::{cell::RefCell, error::Error as StdError, io, rc::Rc, str::FromStr};

use futures_util::{
    future::{AbortHandle, Abortable},
    stream,
};
use reqwest::{
    Body, Method, Request, Response, Url,
    header::{HeaderMap, HeaderName, HeaderValue},
};
use rquickjs::{Ctx, Function, Object, Result, function::Opt, prelude::Async};
use tokio::sync::mpsc;

use super::bytes::Bytes;
use super::process;
use crate::event_loop::KeepAlive;
use crate::gate;
use crate::native_module::NativeModule;
use crate::warn::warning;
use lmthing_base::permission::Access;
use lmthing_system::http::{Network, http_client, take_warnings, tls_failure};

/// An error aborts the request.
type BodyPart = std::result::Result<Vec<u8>, io::Error>;

/// Parts of a request body that are buffered before the script has to wait.
const REQUEST_PARTS_AHEAD: usize = 1;

/// A failure as in Node's `cause`.
struct NetworkError {
    code: &'static str,
    message: String,
}

impl NetworkError {
    fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }

    /// Describes an error of the HTTP client by its innermost source. The outer ones only repeat the URL, whose query
    /// may hold secrets.
    fn from_client(error: &reqwest::Error) -> Self {
        let mut innermost: &dyn StdError = error;
        let mut code = None;
        let mut refused = None;
        while let Some(source) = innermost.source() {
            innermost = source;
            if let Some((code, message)) = tls_error(source).map(tls_failure) {
                return Self::new(code, message);
            }
            if let Some(error) = source.downcast_ref::<io::Error>() {
                code = system_code(error.kind()).or(code);
                refused.get_or_insert_with(|| error.to_string());
            }
            let is_cut =
                source.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::UnexpectedEof)
                    || source.downcast_ref::<hyper::Error>().is_some_and(hyper::Error::is_incomplete_message);
            if is_cut {
                return Self::new("UND_ERR_SOCKET", "other side closed");
            }
        }
        let message = refused.unwrap_or_else(|| innermost.to_string());
        let chain = chain_text(error);
        let code = code.unwrap_or_else(|| {
            if chain.contains("dns error") {
                "ENOTFOUND"
            } else if error.is_timeout() {
                "UND_ERR_CONNECT_TIMEOUT"
            } else {
                "UND_ERR_SOCKET"
            }
        });
        Self::new(code, message)
    }
}

/// Finds a TLS error. It is wrapped in I/O errors, whose `source` skips it.
fn tls_error<'a>(error: &'a (dyn StdError + 'static)) -> Option<&'a rustls::Error> {
    error.downcast_ref().or_else(|| tls_error(error.downcast_ref::<io::Error>()?.get_ref()?))
}

/// The texts of an error's sources, joined: a failed name lookup can only be recognized by its text.
fn chain_text(error: &reqwest::Error) -> String {
    let mut text = String::new();
    let mut current = error.source();
    while let Some(source) = current {
        text += &source.to_string();
        text.push('\n');
        current = source.source();
    }
    text
}

fn system_code(kind: io::ErrorKind) -> Option<&'static str> {
    Some(match kind {
        io::ErrorKind::ConnectionRefused => "ECONNREFUSED",
        io::ErrorKind::ConnectionReset => "ECONNRESET",
        io::ErrorKind::ConnectionAborted => "ECONNABORTED",
        io::ErrorKind::TimedOut => "ETIMEDOUT",
        io::ErrorKind::HostUnreachable => "EHOSTUNREACH",
        io::ErrorKind::NetworkUnreachable => "ENETUNREACH",
        io::ErrorKind::AddrNotAvailable => "EADDRNOTAVAIL",
        io::ErrorKind::BrokenPipe => "EPIPE",
        _ => return None,
    })
}

/// One request and its response. Once aborted, all operations fail.
#[derive(Default)]
struct Exchange {
    request: RefCell<Option<Request>>,
    response: RefCell<Option<Response>>,
    waiting: RefCell<Option<AbortHandle>>,
    aborted: RefCell<bool>,
}

impl Exchange {
    /// Waits for `work` unless the exchange is aborted first.
    async fn wait<T>(&self, work: impl Future<Output = T>) -> std::result::Result<T, NetworkError> {
        let aborted = || NetworkError::new("ABORT_ERR", "This operation was aborted");
        if *self.aborted.borrow() {
            return Err(aborted());
        }
        let (handle, registration) = AbortHandle::new_pair();
        self.waiting.replace(Some(handle));
        Abortable::new(work, registration).await.map_err(|_| aborted())
    }

    /// Sends the request and waits for the head of the response.
    async fn send(&self, network: &Network) -> std::result::Result<Head, NetworkError> {
        let request =
            self.request.take().ok_or_else(|| NetworkError::new("UND_ERR", "The request was sent already"))?;
        let client = http_client(network).map_err(|error| NetworkError::new("UND_ERR", error.to_string()))?;
        let response = self.wait(client.execute(request)).await?.map_err(|error| NetworkError::from_client(&error))?;
        let head = Head::of(&response);
        self.response.replace(Some(response));
        Ok(head)
    }

    /// The next part of the response body; `None` at its end.
    async fn read(&self) -> std::result::Result<Option<Vec<u8>>, NetworkError> {
        // Taken out during the wait, so that `abort` drops the response and closes the connection.
        let Some(mut response) = self.response.take() else { return Ok(None) };
        let (chunk, response) = self
            .wait(async move {
                let chunk = response.chunk().await;
                (chunk, response)
            })
            .await?;
        let chunk = chunk.map_err(|error| NetworkError::from_client(&error))?;
        // At the end it is dropped, which returns the connection to the pool.
        if chunk.is_some() {
            self.response.replace(Some(response));
        }
        Ok(chunk.map(Vec::from))
    }

    fn abort(&self) {
        self.aborted.replace(true);
        self.request.take();
        self.response.take();
        if let Some(handle) = self.waiting.take() {
            handle.abort();
        }
    }
}

/// Status line and headers; header names and values in turn.
struct Head {
    status: u16,
    reason: String,
    headers: Vec<String>,
}

impl Head {
    fn of(response: &Response) -> Self {
        let reason = response.extensions().get::<hyper::ext::ReasonPhrase>();
        let reason = match reason {
            Some(phrase) => String::from_utf8_lossy(phrase.as_bytes()).into_owned(),
            None => response.status().canonical_reason().unwrap_or_default().to_owned(),
        };
        // Header values are bytes; the fetch standard maps each to one character.
        let text = |value: &HeaderValue| value.as_bytes().iter().map(|byte| char::from(*byte)).collect::<String>();
        let headers =
            response.headers().iter().flat_map(|(name, value)| [name.as_str().to_owned(), text(value)]).collect();
        Self { status: response.status().as_u16(), reason, headers }
    }
}

/// Builds the request. `headers` alternates names and values, which `Headers` has validated.
fn build_request(method: &str, url: &str, headers: &[String]) -> std::result::Result<Request, NetworkError> {
    let invalid = |what: &str| NetworkError::new("UND_ERR_INVALID_ARG", format!("invalid {what}"));
    let method = Method::from_str(method).map_err(|_| invalid("method"))?;
    let url = Url::parse(url).map_err(|_| invalid("URL"))?;
    let mut request = Request::new(method, url);
    let mut map = HeaderMap::with_capacity(headers.len() / 2);
    for pair in headers.chunks_exact(2) {
        let name = HeaderName::from_str(&pair[0]).map_err(|_| invalid("header name"))?;
        // The fetch standard maps each character of a header value to one byte.
        let bytes = pair[1].chars().map(|character| character as u8).collect::<Vec<_>>();
        map.append(name, HeaderValue::from_bytes(&bytes).map_err(|_| invalid("header value"))?);
    }
    *request.headers_mut() = map;
    Ok(request)
}

/// `{code, message}` for a failure, `{value}` otherwise. JavaScript makes the error, so that it has the caller's stack.
fn outcome<'js, T: rquickjs::IntoJs<'js>>(
    ctx: &Ctx<'js>,
    result: std::result::Result<T, NetworkError>,
) -> Result<Object<'js>> {
    let object = Object::new(ctx.clone())?;
    match result {
        Ok(value) => object.set("value", value)?,
        Err(error) => {
            object.set("code", error.code)?;
            object.set("message", error.message)?;
        }
    }
    Ok(object)
}

impl<'js> rquickjs::IntoJs<'js> for Head {
    fn into_js(self, ctx: &Ctx<'js>) -> Result<rquickjs::Value<'js>> {
        let object = Object::new(ctx.clone())?;
        object.set("status", self.status)?;
        object.set("statusText", self.reason)?;
        object.set("headers", self.headers)?;
        Ok(object.into_value())
    }
}

/// `exchange(method, url, headers, body?, streamed?)`: `{send(), read(), abort()}`, or `{code, message}` when the
/// request is invalid. `body` is a `Uint8Array` or undefined; when `streamed` is `true`, the body comes through
/// `write(bytes)`, `end()` and `fail(message)`.
fn exchange<'js>(
    ctx: Ctx<'js>,
    method: String,
    url: String,
    headers: Vec<String>,
    body: Opt<Option<Bytes>>,
    streamed: Opt<bool>,
) -> Result<Object<'js>> {
    // Without path and query, which may hold secrets.
    let origin = Url::parse(&url).map(|url| url.origin().ascii_serialization());
    gate::check(&ctx, Access::Network(origin.as_deref().unwrap_or("a server")))?;
    let object = Object::new(ctx.clone())?;
    let mut request = match build_request(&method, &url, &headers) {
        Ok(request) => request,
        Err(error) => return outcome::<()>(&ctx, Err(error)),
    };
    if streamed.0 == Some(true) {
        let (sender, receiver) = mpsc::channel::<BodyPart>(REQUEST_PARTS_AHEAD);
        let parts = stream::unfold(receiver, |mut receiver| async move { Some((receiver.recv().await?, receiver)) });
        *request.body_mut() = Some(Body::wrap_stream(parts));
        export_body_writer(&object, sender)?;
    } else if let Some(Some(bytes)) = body.0 {
        *request.body_mut() = Some(Body::from(bytes.0));
    }
    let exchange = Rc::new(Exchange { request: RefCell::new(Some(request)), ..Exchange::default() });
    export_exchange(&object, exchange)?;
    Ok(object)
}

fn export_exchange<'js>(object: &Object<'js>, exchange: Rc<Exchange>) -> Result<()> {
    let ctx = object.ctx();
    let sender = exchange.clone();
    let send = move |ctx: Ctx<'js>| {
        let exchange = sender.clone();
        // A pending request keeps the program alive, as in Node.
        KeepAlive::during(&ctx.clone(), async move {
            let network = Network::new(|name| process::variable(&ctx, name));
            let sent = exchange.send(&network).await;
            for message in take_warnings(&network) {
                warning(&ctx, &message)?;
            }
            outcome(&ctx, sent)
        })
    };
    object.set("send", Function::new(ctx.clone(), Async(send))?)?;
    let reader = exchange.clone();
    let read = move |ctx: Ctx<'js>| {
        let exchange = reader.clone();
        KeepAlive::during(&ctx.clone(), async move { outcome(&ctx, exchange.read().await.map(|part| part.map(Bytes))) })
    };
    object.set("read", Function::new(ctx.clone(), Async(read))?)?;
    object.set("abort", Function::new(ctx.clone(), move || exchange.abort())?)
}

/// `write` resolves to `false` when the request no longer reads the body.
fn export_body_writer<'js>(object: &Object<'js>, sender: mpsc::Sender<BodyPart>) -> Result<()> {
    let ctx = object.ctx();
    let sender = Rc::new(RefCell::new(Some(sender)));
    let writer = sender.clone();
    let write = move |bytes: Bytes| {
        let sender = writer.borrow().clone();
        async move {
            match sender {
                Some(sender) => sender.send(Ok(bytes.0)).await.is_ok(),
                None => false,
            }
        }
    };
    object.set("write", Function::new(ctx.clone(), Async(write))?)?;
    let ender = sender.clone();
    object.set("end", Function::new(ctx.clone(), move || drop(ender.take()))?)?;
    let fail = move |message: String| {
        let sender = sender.take();
        async move {
            if let Some(sender) = sender {
                // If the request has ended, there is nothing left to fail.
                let _ = sender.send(Err(io::Error::other(message))).await;
            }
        }
    };
    object.set("fail", Function::new(ctx.clone(), Async(fail))?)
}

pub(super) const NATIVE: NativeModule = NativeModule { name: "lmthing:internal/native/fetch", init: exports };

fn exports<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let exports = Object::new(ctx.clone())?;
    exports.set("exchange", Function::new(ctx.clone(), exchange)?)?;
    exports.set("userAgent", concat!("lmthing/", env!("CARGO_PKG_VERSION")))?;
    Ok(exports)
}
