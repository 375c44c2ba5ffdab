//! An async HTTP/1.1 server for tests of `fetch`, on 127.0.0.1. Each path shows one behaviour of servers; see
//! `answer`.

use std::{collections::HashMap, sync::Arc, time::Duration};

use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
    sync::Semaphore,
    time::sleep,
};

pub(crate) struct HttpServer {
    port: u16,
    closed_port: u16,
}

/// A request.
struct Received {
    method: String,
    path: String,
    headers: HashMap<String, String>,
    body: Vec<u8>,
    /// The sizes of the chunks of a chunked body.
    chunks: Vec<usize>,
}

type Connection = BufReader<TcpStream>;

impl HttpServer {
    /// Serves until the runtime ends.
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let port = listener.local_addr().expect("a bound socket").port();
        // Closed again, so that connections to it are refused.
        let closed = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let closed_port = closed.local_addr().expect("a bound socket").port();
        drop(closed);
        let seen = Arc::new(Seen { silent: Semaphore::new(0), gone: Semaphore::new(0) });
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(BufReader::new(stream), seen.clone()));
            }
        });
        Self { port, closed_port }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    pub(crate) fn closed_port(&self) -> u16 {
        self.closed_port
    }
}

/// Events on other connections: `/arrived` waits for a request of `/silent`, `/gone` for a client that closes its
/// connection before the end of the response.
struct Seen {
    silent: Semaphore,
    gone: Semaphore,
}

async fn serve(mut connection: Connection, seen: Arc<Seen>) {
    while let Some(request) = receive(&mut connection).await {
        let awaited = match request.path.as_str() {
            "/arrived" => &seen.silent,
            "/gone" => &seen.gone,
            path => {
                if path == "/silent" {
                    seen.silent.add_permits(1);
                }
                if !answer(&mut connection, &request).await {
                    seen.gone.add_permits(1);
                    return;
                }
                continue;
            }
        };
        let happened = tokio::time::timeout(Duration::from_secs(10), awaited.acquire()).await;
        let text = match happened {
            Ok(Ok(permit)) => {
                permit.forget();
                "yes"
            }
            _ => "no",
        };
        send(&mut connection, 200, &[], text.as_bytes()).await;
    }
}

async fn line(connection: &mut Connection) -> Option<String> {
    let mut line = String::new();
    let size = connection.read_line(&mut line).await.ok()?;
    (size > 0).then(|| line.trim_end().to_owned())
}

async fn receive(connection: &mut Connection) -> Option<Received> {
    let start = line(connection).await?;
    let mut words = start.split(' ');
    let (method, path) = (words.next()?.to_owned(), words.next()?.to_owned());
    let mut headers = HashMap::new();
    loop {
        let header = line(connection).await?;
        if header.is_empty() {
            break;
        }
        let (name, value) = header.split_once(':')?;
        headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
    }
    let (mut body, mut chunks) = (Vec::new(), Vec::new());
    if headers.get("transfer-encoding").is_some_and(|coding| coding == "chunked") {
        loop {
            let size = usize::from_str_radix(&line(connection).await?, 16).ok()?;
            let mut chunk = vec![0; size];
            connection.read_exact(&mut chunk).await.ok()?;
            line(connection).await?;
            if size == 0 {
                break;
            }
            chunks.push(size);
            body.extend(chunk);
        }
    } else if let Some(length) = headers.get("content-length") {
        body = vec![0; length.parse().ok()?];
        connection.read_exact(&mut body).await.ok()?;
    }
    Some(Received { method, path, headers, body, chunks })
}

async fn send(connection: &mut Connection, status: u16, headers: &[(&str, &str)], body: &[u8]) -> bool {
    let mut head = format!("HTTP/1.1 {status} {}\r\n", if status == 200 { "OK" } else { "Other" });
    for (name, value) in headers {
        head += &format!("{name}: {value}\r\n");
    }
    if status != 204 && status != 304 {
        head += &format!("content-length: {}\r\n", body.len());
    }
    head += "\r\n";
    write(connection, head.as_bytes()).await && write(connection, body).await
}

async fn write(connection: &mut Connection, bytes: &[u8]) -> bool {
    connection.get_mut().write_all(bytes).await.is_ok() && connection.get_mut().flush().await.is_ok()
}

async fn chunk(connection: &mut Connection, text: &str) -> bool {
    write(connection, format!("{:x}\r\n{text}\r\n", text.len()).as_bytes()).await
}

const CHUNKED: &[u8] =
    b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\ncontent-type: text/plain; charset=utf-8\r\n\r\n";

/// "compressed text" as gzip.
const GZIP: &[u8] = &[
    31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 75, 206, 207, 45, 40, 74, 45, 46, 78, 77, 81, 40, 73, 173, 40, 1, 0, 194, 24, 216,
    216, 15, 0, 0, 0,
];

/// Responds to a request by its path; `false` if the connection must be closed.
async fn answer(connection: &mut Connection, request: &Received) -> bool {
    let path = request.path.split('?').next().unwrap_or_default();
    match path {
        "/echo" => {
            let body = serde_json::json!({
                "method": request.method,
                "path": request.path,
                "headers": request.headers,
                "body": String::from_utf8_lossy(&request.body),
                "chunks": request.chunks,
            });
            send(connection, 200, &[("content-type", "application/json")], body.to_string().as_bytes()).await
        }
        "/headers" => {
            let headers = [("X-One", "1"), ("set-cookie", "a=1"), ("Set-Cookie", "b=2"), ("x-one", "2")];
            send(connection, 200, &headers, b"\xef\xbb\xbfmarked").await
        }
        "/chunks" => {
            let mut alive = write(connection, CHUNKED).await;
            for part in ["one ", "two ", "three"] {
                alive = alive && chunk(connection, part).await;
                sleep(Duration::from_millis(30)).await;
            }
            alive && write(connection, b"0\r\n\r\n").await
        }
        "/endless" => {
            let mut alive = write(connection, CHUNKED).await;
            while alive {
                alive = chunk(connection, &"x".repeat(1000)).await;
                sleep(Duration::from_millis(5)).await;
            }
            false
        }
        "/cut" => {
            write(connection, CHUNKED).await;
            chunk(connection, "partial").await;
            false
        }
        "/silent" => {
            // No response: this read ends when the client gives up.
            let _ = connection.read_u8().await;
            false
        }
        "/gzip" => send(connection, 200, &[("content-encoding", "gzip")], GZIP).await,
        "/form" => {
            let kind = ("content-type", "application/x-www-form-urlencoded");
            send(connection, 200, &[kind], b"a=1&b=two+words&a=3").await
        }
        "/elsewhere" => {
            // The same server by another name is another origin.
            let host = request.headers.get("host").cloned().unwrap_or_default().replace("127.0.0.1", "localhost");
            send(connection, 307, &[("location", &format!("http://{host}/echo"))], b"").await
        }
        "/loop" => send(connection, 302, &[("location", "/loop")], b"").await,
        "/away" => send(connection, 302, &[("location", "ftp://example.invalid/")], b"").await,
        _ => match path.strip_prefix("/redirect/").and_then(|status| status.parse().ok()) {
            Some(status) => send(connection, status, &[("location", "/echo?redirected")], b"moved").await,
            None => match path.strip_prefix("/status/").and_then(|status| status.parse().ok()) {
                Some(status) => send(connection, status, &[("content-type", "text/plain")], b"body").await,
                None => send(connection, 404, &[], b"no such page").await,
            },
        },
    }
}
