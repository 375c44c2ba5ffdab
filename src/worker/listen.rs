//! Where Restate calls: connections, of HTTP/2, and probes of health on either version of HTTP. The end is slow on purpose: what
//! is under way goes on until it has been given back. Must not know what is called.

use std::{convert::Infallible, net::SocketAddr, sync::Arc, time::Duration};

use bytes::Bytes;
use http_body_util::{Either, Full};
use hyper::{
    Method, Request, Response, StatusCode,
    body::Incoming,
    header::{CONTENT_TYPE, HeaderValue},
    service::service_fn,
};
use hyper_util::{
    rt::{TokioExecutor, TokioIo, TokioTimer},
    server::{conn::auto::Builder, graceful::GracefulShutdown},
};
use serde_json::json;
use tokio::{
    net::{TcpListener, TcpStream},
    sync::watch,
    task::JoinSet,
    time::{sleep, timeout},
};

use super::{
    endpoint::{Answer, Services},
    gate::Gate,
    tally::Tally,
};
use crate::{diagnostic::Diagnostic, serve::cannot_bind};

/// How often the other side is asked whether it is still there, and how long the answer may take.
const ALIVE_INTERVAL: Duration = Duration::from_secs(20);
const ALIVE_TIMEOUT: Duration = Duration::from_secs(20);

/// How long a client may take to send the head of a request.
const HEAD_TIMEOUT: Duration = Duration::from_secs(30);

/// How many invocations one connection may carry: those beyond what runs at once wait here, and cost little.
const STREAMS: u32 = 10_000;

/// How many of them may be given up before they were looked at, as after a restart of the other side.
const RESETS: usize = 2_000;

/// How long to wait when the system has no more connections to give.
const BREATH: Duration = Duration::from_millis(100);

/// How long connections that nothing is under way on may take to close.
const FAREWELL: Duration = Duration::from_millis(500);

/// An address at which services are served.
#[derive(Debug)]
pub(crate) struct Listener {
    listener: TcpListener,
    address: SocketAddr,
}

impl Listener {
    /// Takes one of these addresses.
    ///
    /// # Errors
    /// The system does not give it.
    pub(crate) async fn bind(addresses: &[SocketAddr]) -> Result<Self, Box<Diagnostic>> {
        let listener = TcpListener::bind(addresses).await;
        let bound = listener.and_then(|listener| Ok((listener.local_addr()?, listener)));
        let (address, listener) = bound.map_err(|error| Box::new(cannot_bind(addresses, &error)))?;
        Ok(Listener { listener, address })
    }

    /// Where it is, with the port that the system gave.
    pub(crate) fn address(&self) -> SocketAddr {
        SocketAddr::new(self.address.ip().to_canonical(), self.address.port())
    }

    /// Answers whoever asks until `stop` says so; then until everything under way has been answered.
    pub(super) async fn serve(self, services: Services, gate: Gate, tally: Tally, mut stop: watch::Receiver<bool>) {
        let door = Arc::new(Door { services, gate, tally, stop: stop.clone() });
        let (mut connections, graceful) = (JoinSet::new(), GracefulShutdown::new());
        loop {
            tokio::select! {
                biased;
                // One that is gone says so, too.
                _ = stop.wait_for(|is_stopping| *is_stopping) => break,
                Some(_) = connections.join_next() => {}
                accepted = self.listener.accept() => match accepted {
                    Ok((stream, _)) => drop(connections.spawn(answer_all(stream, door.clone(), &graceful))),
                    Err(_) => sleep(BREATH).await,
                },
            }
        }
        drop(self.listener);
        // Not before: connections that are told to end take streams with them that are still at work.
        while door.tally.is_open() {
            sleep(BREATH / 10).await;
        }
        // A client that keeps a connection open for nothing keeps nobody.
        let _ = timeout(FAREWELL, graceful.shutdown()).await;
    }
}

/// What stands before the services.
struct Door {
    services: Services,
    gate: Gate,
    tally: Tally,
    stop: watch::Receiver<bool>,
}

/// What a request is answered with.
type Body = Either<Full<Bytes>, Answer>;

/// Answers all requests of a connection.
fn answer_all(
    stream: TcpStream,
    door: Arc<Door>,
    graceful: &GracefulShutdown,
) -> impl Future<Output = ()> + Send + use<> {
    // Small messages, each of which somebody waits for.
    let _ = stream.set_nodelay(true);
    let answer = service_fn(move |request: Request<Incoming>| {
        let door = door.clone();
        async move { Ok::<Response<Body>, Infallible>(door.answer(request)) }
    });
    let mut builder = Builder::new(TokioExecutor::new());
    builder.http1().timer(TokioTimer::new()).header_read_timeout(HEAD_TIMEOUT);
    builder
        .http2()
        .timer(TokioTimer::new())
        .keep_alive_interval(ALIVE_INTERVAL)
        .keep_alive_timeout(ALIVE_TIMEOUT)
        .max_concurrent_streams(STREAMS)
        .max_pending_accept_reset_streams(RESETS);
    let connection = graceful.watch(builder.serve_connection(TokioIo::new(stream), answer).into_owned());
    async move {
        // What goes wrong with a connection its client knows by itself.
        let _ = connection.await;
    }
}

impl Door {
    fn answer(&self, request: Request<Incoming>) -> Response<Body> {
        let is_stopping = *self.stop.borrow();
        let is_look = matches!(*request.method(), Method::GET | Method::HEAD);
        if is_look && request.uri().path().trim_end_matches('/') == "/health" {
            return self.health(is_stopping);
        }
        if let Err((status, why)) = self.gate.check(&request) {
            return json_answer(status, json!({ "message": why }).to_string());
        }
        if is_stopping {
            // Another worker takes it, or this one when it is there again.
            return json_answer(StatusCode::SERVICE_UNAVAILABLE, r#"{"message":"this worker is stopping"}"#.to_owned());
        }
        self.services.answer(request).map(Either::Right)
    }

    fn health(&self, is_stopping: bool) -> Response<Body> {
        let figures = self.tally.figures();
        let (status, word) = match is_stopping {
            false => (StatusCode::OK, "ok"),
            true => (StatusCode::SERVICE_UNAVAILABLE, "stopping"),
        };
        let body = json!({
            "status": word,
            "running": figures.running,
            "waiting": figures.waiting,
            "done": figures.done,
            "failed": figures.failed,
        });
        json_answer(status, body.to_string())
    }
}

fn json_answer(status: StatusCode, text: String) -> Response<Body> {
    let mut answer = Response::new(Either::Left(Full::new(Bytes::from(text))));
    *answer.status_mut() = status;
    answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    answer
}
