//! A proxy that speaks HTTP (plain and CONNECT) and SOCKS 5 on one port. It resolves every host to this machine.

use std::sync::{Arc, Mutex};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional},
    net::{TcpListener, TcpStream},
};

/// Stops with the runtime.
pub(crate) struct Proxy {
    pub port: u16,
    requests: Arc<Mutex<Vec<String>>>,
}

/// `ada:pa#ss`.
const BASIC: &str = "Basic YWRhOnBhI3Nz";
const USER: (&[u8], &[u8]) = (b"ada", b"pa#ss");

impl Proxy {
    /// Starts a proxy, with or without authentication.
    pub(crate) async fn start(wants_password: bool) -> Proxy {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let stored = requests.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let stored = stored.clone();
                tokio::spawn(async move {
                    let mut first = [0];
                    let peeked = stream.peek(&mut first).await;
                    // The version of SOCKS; no HTTP method begins with this byte.
                    let is_socks = peeked.is_ok() && first == [5];
                    match is_socks {
                        true => socks(stream, wants_password, &stored).await,
                        false => http(stream, wants_password, &stored).await,
                    }
                });
            }
        });
        Proxy { port, requests }
    }

    /// The requested hosts with their ports.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

/// A port where nothing listens.
pub(crate) async fn dead_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap().port()
}

async fn connect(target: &str, requests: &Mutex<Vec<String>>) -> Option<TcpStream> {
    requests.lock().unwrap().push(target.to_owned());
    let port: u16 = target.rsplit(':').next()?.parse().ok()?;
    TcpStream::connect(("127.0.0.1", port)).await.ok()
}

async fn http(mut stream: TcpStream, wants_password: bool, requests: &Mutex<Vec<String>>) -> Option<()> {
    let mut head = Vec::new();
    while !head.windows(4).any(|window| window == b"\r\n\r\n") {
        if stream.read_buf(&mut head).await.ok()? == 0 {
            return None;
        }
    }
    let text = String::from_utf8_lossy(&head).into_owned();
    if wants_password && !text.contains(BASIC) {
        let refusal = "HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
        return stream.write_all(refusal.as_bytes()).await.ok();
    }
    let mut words = text.split(' ');
    let (method, target) = (words.next()?, words.next()?);
    let host = target.strip_prefix("http://").unwrap_or(target).split('/').next()?;
    let mut server = connect(host, requests).await?;
    if method == "CONNECT" {
        stream.write_all(b"HTTP/1.1 200 Connected\r\n\r\n").await.ok()?;
    } else {
        let path = target.split_once(host)?.1;
        server.write_all(text.replacen(target, path, 1).as_bytes()).await.ok()?;
    }
    copy_bidirectional(&mut stream, &mut server).await.ok().map(drop)
}

async fn socks(mut stream: TcpStream, wants_password: bool, requests: &Mutex<Vec<String>>) -> Option<()> {
    let methods = counted(&mut stream, 1).await?;
    if wants_password {
        if !methods.contains(&2) {
            return stream.write_all(&[5, 0xff]).await.ok();
        }
        stream.write_all(&[5, 2]).await.ok()?;
        let (user, password) = (counted(&mut stream, 1).await?, counted(&mut stream, 0).await?);
        let is_right = (user.as_slice(), password.as_slice()) == USER;
        stream.write_all(&[1, u8::from(!is_right)]).await.ok()?;
        is_right.then_some(())?;
    } else {
        stream.write_all(&[5, 0]).await.ok()?;
    }
    // Version, command, reserved, address type (a name).
    let host = counted(&mut stream, 4).await?;
    let port = stream.read_u16().await.ok()?;
    let mut server = connect(&format!("{}:{port}", String::from_utf8_lossy(&host)), requests).await?;
    stream.write_all(&[5, 0, 0, 1, 0, 0, 0, 0, 0, 0]).await.ok()?;
    copy_bidirectional(&mut stream, &mut server).await.ok().map(drop)
}

/// Skips some bytes, and reads a length-prefixed field.
async fn counted(stream: &mut TcpStream, skipped: usize) -> Option<Vec<u8>> {
    stream.read_exact(&mut vec![0; skipped]).await.ok()?;
    let length = stream.read_u8().await.ok()?;
    let mut field = vec![0; length.into()];
    stream.read_exact(&mut field).await.ok()?;
    Some(field)
}
