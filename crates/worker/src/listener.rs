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
    counters::InvocationCounters,
    endpoint::{InvocationResponse, Services},
    request_filter::RequestFilter,
};
use lmthing_base::diagnostic::Diagnostic;
use lmthing_serve::cannot_bind;

/// Interval of HTTP/2 pings, and the time for their answer.
const ALIVE_INTERVAL: Duration = Duration::from_secs(20);
const ALIVE_TIMEOUT: Duration = Duration::from_secs(20);

const HEAD_TIMEOUT: Duration = Duration::from_secs(30);

/// Invocations on one connection. Those beyond the slots wait here at little cost.
const MAX_STREAMS: u32 = 10_000;

/// Streams that may be reset before they were accepted, as after a restart of the server.
const MAX_PENDING_RESETS: usize = 2_000;

/// Pause after a failed `accept`, as when there are no file descriptors left.
const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(100);

const CLOSE_TIMEOUT: Duration = Duration::from_millis(500);

#[derive(Debug)]
pub struct WorkerListener {
    listener: TcpListener,
    address: SocketAddr,
}

impl WorkerListener {
    pub async fn bind(addresses: &[SocketAddr]) -> Result<Self, Box<Diagnostic>> {
        let listener = TcpListener::bind(addresses).await;
        let bound = listener.and_then(|listener| Ok((listener.local_addr()?, listener)));
        let (address, listener) = bound.map_err(|error| Box::new(cannot_bind(addresses, &error)))?;
        Ok(WorkerListener { listener, address })
    }

    /// The address with the port that the system assigned.
    pub fn address(&self) -> SocketAddr {
        SocketAddr::new(self.address.ip().to_canonical(), self.address.port())
    }

    /// Serves until `stop` is set and everything in progress has been answered.
    pub(super) async fn serve(
        self,
        services: Services,
        request_filter: RequestFilter,
        counters: InvocationCounters,
        mut stop: watch::Receiver<bool>,
    ) {
        let router = Arc::new(Router { services, request_filter, counters, stop: stop.clone() });
        let (mut connections, graceful) = (JoinSet::new(), GracefulShutdown::new());
        loop {
            tokio::select! {
                biased;
                // Also breaks if the sender was dropped.
                _ = stop.wait_for(|is_stopping| *is_stopping) => break,
                Some(_) = connections.join_next() => {}
                accepted = self.listener.accept() => match accepted {
                    Ok((stream, _)) => drop(connections.spawn(answer_all(stream, router.clone(), &graceful))),
                    Err(_) => sleep(ACCEPT_RETRY_DELAY).await,
                },
            }
        }
        drop(self.listener);
        // Only now: a graceful shutdown of connections would end running streams.
        while router.counters.is_open() {
            sleep(ACCEPT_RETRY_DELAY / 10).await;
        }
        let _ = timeout(CLOSE_TIMEOUT, graceful.shutdown()).await;
    }
}

struct Router {
    services: Services,
    request_filter: RequestFilter,
    counters: InvocationCounters,
    stop: watch::Receiver<bool>,
}

type Body = Either<Full<Bytes>, InvocationResponse>;

fn answer_all(
    stream: TcpStream,
    router: Arc<Router>,
    graceful: &GracefulShutdown,
) -> impl Future<Output = ()> + Send + use<> {
    // Messages are small, and the other side waits for each.
    let _ = stream.set_nodelay(true);
    let answer = service_fn(move |request: Request<Incoming>| {
        let router = router.clone();
        async move { Ok::<Response<Body>, Infallible>(router.answer(request)) }
    });
    let mut builder = Builder::new(TokioExecutor::new());
    builder.http1().timer(TokioTimer::new()).header_read_timeout(HEAD_TIMEOUT);
    builder
        .http2()
        .timer(TokioTimer::new())
        .keep_alive_interval(ALIVE_INTERVAL)
        .keep_alive_timeout(ALIVE_TIMEOUT)
        .max_concurrent_streams(MAX_STREAMS)
        .max_pending_accept_reset_streams(MAX_PENDING_RESETS);
    let connection = graceful.watch(builder.serve_connection(TokioIo::new(stream), answer).into_owned());
    async move {
        // The client notices a broken connection by itself.
        let _ = connection.await;
    }
}

impl Router {
    fn answer(&self, request: Request<Incoming>) -> Response<Body> {
        let is_stopping = *self.stop.borrow();
        let is_read = matches!(*request.method(), Method::GET | Method::HEAD);
        if is_read && request.uri().path().trim_end_matches('/') == "/health" {
            return self.health(is_stopping);
        }
        if let Err((status, why)) = self.request_filter.check(&request) {
            return json_answer(status, json!({ "message": why }).to_string());
        }
        if is_stopping {
            // Restate tries again, here or at another worker.
            return json_answer(StatusCode::SERVICE_UNAVAILABLE, r#"{"message":"this worker is stopping"}"#.to_owned());
        }
        self.services.answer(request).map(Either::Right)
    }

    fn health(&self, is_stopping: bool) -> Response<Body> {
        let counts = self.counters.counts();
        let (status, word) = match is_stopping {
            false => (StatusCode::OK, "ok"),
            true => (StatusCode::SERVICE_UNAVAILABLE, "stopping"),
        };
        let body = json!({
            "status": word,
            "running": counts.running,
            "waiting": counts.waiting,
            "done": counts.done,
            "failed": counts.failed,
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
