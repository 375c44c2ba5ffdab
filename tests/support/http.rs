//! An HTTP/1.1 server for runs of the program, which sends requests from a process of its own: threads, no async
//! runtime.

use std::{
    collections::BTreeMap,
    io::{self, BufRead, BufReader, Write},
    net::{TcpListener, TcpStream},
    sync::Arc,
    thread,
    time::Duration,
};

use serde_json::Value;

const READ_TIMEOUT: Duration = Duration::from_secs(60);

/// A request that the server has read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Request {
    pub method: String,
    pub path: String,
    /// The request line and the header lines, as they were sent.
    pub head: Vec<String>,
    /// Names in lower case.
    pub headers: BTreeMap<String, String>,
    pub body: Vec<u8>,
}

impl Request {
    /// Reads one request; `None` at the end of the connection.
    pub(crate) fn read(reader: &mut impl BufRead) -> io::Result<Option<Self>> {
        let mut request = Request::default();
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line)? == 0 {
                return Ok(None);
            }
            let line = line.trim_end();
            if line.is_empty() {
                break;
            }
            if let Some((name, value)) = line.split_once(':')
                && !request.head.is_empty()
            {
                request.headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
            }
            request.head.push(line.to_owned());
        }
        let mut words = request.head.first().ok_or(io::ErrorKind::InvalidData)?.split(' ').map(str::to_owned);
        request.method = words.next().unwrap_or_default();
        request.path = words.next().unwrap_or_default();
        let length = request.headers.get("content-length").map_or(Ok(0), |length| length.parse());
        request.body = vec![0; length.map_err(io::Error::other)?];
        reader.read_exact(&mut request.body)?;
        Ok(Some(request))
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", String::as_str)
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }
}

/// Answers requests until the process ends, each connection on a thread of its own; returns `host:port`. `answer` returns
/// head and body, and the connection is closed after it.
pub(crate) fn serve(answer: impl Fn(&Request) -> String + Send + Sync + 'static) -> String {
    serve_stream(move |request, stream| stream.write_all(answer(request).as_bytes()))
}

/// Like [`serve`], with an answer that is written piece by piece.
pub(crate) fn serve_stream(
    answer: impl Fn(&Request, &mut TcpStream) -> io::Result<()> + Send + Sync + 'static,
) -> String {
    let port = serve_connections(move |mut stream| {
        stream.set_read_timeout(Some(READ_TIMEOUT))?;
        match Request::read(&mut BufReader::new(&stream))? {
            Some(request) => answer(&request, &mut stream),
            None => Ok(()),
        }
    });
    format!("127.0.0.1:{port}")
}

/// Handles each connection on a thread of its own until the process ends; returns the port.
pub(crate) fn serve_connections(handle: impl Fn(TcpStream) -> io::Result<()> + Send + Sync + 'static) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let handle = Arc::new(handle);
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let handle = handle.clone();
            thread::spawn(move || handle(stream));
        }
    });
    port
}

/// An answer whose end is the end of the connection. `status` may have header lines after it.
pub(crate) fn response(status: &str, content_type: &str, body: &str) -> String {
    format!("HTTP/1.1 {status}\r\ncontent-type: {content_type}\r\nconnection: close\r\n\r\n{body}")
}

/// A port that was free a moment ago: connections to it are refused.
pub(crate) fn closed_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}
