//! The worker's HTTP server: invocations over HTTP/2, and `/health` over either version.

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

/// Interval of HTTP/2 pings, and the time for their answer.
const ALIVE_INTERVAL: Duration = Duration::from_secs(20);
const ALIVE_TIMEOUT: Duration = Duration::from_secs(20);

const HEAD_TIMEOUT: Duration = Duration::from_secs(30);

/// Invocations on one connection. Those beyond the slots wait here at little cost.
const STREAMS: u32 = 10_000;

/// Streams that may be reset before they were accepted, as after a restart of the server.
const RESETS: usize = 2_000;

/// Pause after a failed `accept`, as when there are no file descriptors left.
const BREATH: Duration = Duration::from_millis(100);

/// How long idle connections may take to close.
const FAREWELL: Duration = Duration::from_millis(500);

#[derive(Debug)]
pub(crate) struct Listener {
    listener: TcpListener,
    address: SocketAddr,
}

impl Listener {
    pub(crate) async fn bind(addresses: &[SocketAddr]) -> Result<Self, Box<Diagnostic>> {
        let listener = TcpListener::bind(addresses).await;
        let bound = listener.and_then(|listener| Ok((listener.local_addr()?, listener)));
        let (address, listener) = bound.map_err(|error| Box::new(cannot_bind(addresses, &error)))?;
        Ok(Listener { listener, address })
    }

    /// The address with the port that the system assigned.
    pub(crate) fn address(&self) -> SocketAddr {
        SocketAddr::new(self.address.ip().to_canonical(), self.address.port())
    }

    /// Serves until `stop` is set and everything in progress has been answered.
    pub(super) async fn serve(self, services: Services, gate: Gate, tally: Tally, mut stop: watch::Receiver<bool>) {
        let door = Arc::new(Door { services, gate, tally, stop: stop.clone() });
        let (mut connections, graceful) = (JoinSet::new(), GracefulShutdown::new());
        loop {
            tokio::select! {
                biased;
                // Also breaks if the sender was dropped.
                _ = stop.wait_for(|is_stopping| *is_stopping) => break,
                Some(_) = connections.join_next() => {}
                accepted = self.listener.accept() => match accepted {
                    Ok((stream, _)) => drop(connections.spawn(answer_all(stream, door.clone(), &graceful))),
                    Err(_) => sleep(BREATH).await,
                },
            }
        }
        drop(self.listener);
        // Only now: a graceful shutdown of connections would end running streams.
        while door.tally.is_open() {
            sleep(BREATH / 10).await;
        }
        let _ = timeout(FAREWELL, graceful.shutdown()).await;
    }
}

struct Door {
    services: Services,
    gate: Gate,
    tally: Tally,
    stop: watch::Receiver<bool>,
}

type Body = Either<Full<Bytes>, Answer>;

fn answer_all(
    stream: TcpStream,
    door: Arc<Door>,
    graceful: &GracefulShutdown,
) -> impl Future<Output = ()> + Send + use<> {
    // Messages are small, and the other side waits for each.
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
        // The client notices a broken connection by itself.
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
            // Restate tries again, here or at another worker.
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
