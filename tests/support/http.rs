//! A server for runs of the whole program, which asks from a process of its own: it needs no runtime, and a closure says
//! what is answered.

use std::{
    io::{self, BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    sync::Arc,
    thread,
    time::Duration,
};

use serde_json::Value;

/// A connection that says nothing for so long is given up.
const READ_TIMEOUT: Duration = Duration::from_secs(60);

/// A request as it came in.
pub struct Received {
    /// The lines of the head, without the empty one at its end.
    pub head: Vec<String>,
    pub body: Vec<u8>,
}

impl Received {
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }
}

/// Answers each request on a thread of its own, until the process ends, with all that `answer` gives: head and body. Says
/// where.
pub fn serve(answer: impl Fn(&Received) -> String + Send + Sync + 'static) -> String {
    serve_slowly(move |received, stream| stream.write_all(answer(received).as_bytes()))
}

/// The same with an answer that `answer` writes itself, piece by piece.
pub fn serve_slowly(answer: impl Fn(&Received, &mut TcpStream) -> io::Result<()> + Send + Sync + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("127.0.0.1:{}", listener.local_addr().unwrap().port());
    let answer = Arc::new(answer);
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let answer = answer.clone();
            thread::spawn(move || answer(&receive(&stream)?, &mut stream));
        }
    });
    address
}

/// An answer; `head` stands behind the version, and may have headers of its own behind the status.
pub fn response(head: &str, kind: &str, body: &str) -> String {
    format!("HTTP/1.1 {head}\r\ncontent-type: {kind}\r\nconnection: close\r\n\r\n{body}")
}

fn receive(stream: &TcpStream) -> io::Result<Received> {
    stream.set_read_timeout(Some(READ_TIMEOUT))?;
    let mut reader = BufReader::new(stream);
    let (mut head, mut length) = (Vec::new(), 0);
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 {
            // The client did not need the connection after all.
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let line = line.trim();
        if line.is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().unwrap();
        }
        head.push(line.to_owned());
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok(Received { head, body })
}
