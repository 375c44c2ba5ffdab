//! One connection of `node:net` or `node:tls`.
//!
//! Reading and writing are concurrent; each half is taken out during its operation. Closing drops both, and pending
//! operations see the end of the stream.

use std::cell::{Cell, RefCell};
use std::io;
use std::net::SocketAddr;
use std::rc::Rc;

use rquickjs::{Ctx, Function, Object, Result, convert::List, prelude::Async};
use tokio::io::{AsyncReadExt, AsyncWriteExt, ReadHalf, WriteHalf, split};
use tokio::net::TcpStream;
#[cfg(unix)]
use tokio::net::UnixStream;
use tokio::sync::Notify;

use super::byte_stream::ByteStream;
use super::network_error::{NetError, NetResult, result_object};
use super::tls_settings::{TlsClient, TlsFacts, TlsServer};
use crate::event_loop::KeepAlive;
use crate::globals::Bytes;

/// Bytes per read, as in Node.
const READ_SIZE: usize = 64 * 1024;

type Stream = Box<dyn ByteStream>;

pub(super) struct Connection {
    reader: RefCell<Option<ReadHalf<Stream>>>,
    writer: RefCell<Option<WriteHalf<Stream>>>,
    closed: Cell<bool>,
    closing: Notify,
    /// Makes a pending read return the reader, so that TLS can take over the stream.
    taking_over: Notify,
    /// A duplicate of the TCP socket, for its options; `None` once closed.
    settings: RefCell<Option<socket2::Socket>>,
    local: Option<SocketAddr>,
    remote: Option<SocketAddr>,
}

impl Connection {
    fn new(stream: Stream, settings: Option<socket2::Socket>) -> Self {
        let (reader, writer) = split(stream);
        Self {
            reader: RefCell::new(Some(reader)),
            writer: RefCell::new(Some(writer)),
            closed: Cell::new(false),
            closing: Notify::new(),
            taking_over: Notify::new(),
            settings: RefCell::new(settings),
            local: None,
            remote: None,
        }
    }

    pub(super) fn of_tcp(stream: TcpStream) -> io::Result<Self> {
        let (local, remote) = (stream.local_addr().ok(), stream.peer_addr().ok());
        let stream = stream.into_std()?;
        let settings = socket2::Socket::from(stream.try_clone()?);
        let stream = TcpStream::from_std(stream)?;
        Ok(Self { local, remote, ..Self::new(Box::new(stream), Some(settings)) })
    }

    #[cfg(unix)]
    pub(super) fn of_unix(stream: UnixStream) -> Self {
        Self::new(Box::new(stream), None)
    }

    /// Waits for `work`; `None` if the connection is closed first.
    async fn unless_closed<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        let closing = self.closing.notified();
        if self.closed.get() {
            return None;
        }
        tokio::select! {
            biased;
            done = work => Some(done),
            () = closing => None,
        }
    }

    /// The next bytes; `None` at the end, or when TLS takes over the stream.
    async fn read(&self) -> NetResult<Option<Vec<u8>>> {
        let Some(mut reader) = self.reader.take() else { return Ok(None) };
        let mut bytes = Vec::with_capacity(READ_SIZE);
        let taking_over = self.taking_over.notified();
        let read = tokio::select! {
            biased;
            read = self.unless_closed(reader.read_buf(&mut bytes)) => read,
            () = taking_over => Some(Ok(0)),
        };
        let Some(read) = read else { return Ok(None) };
        self.reader.replace(Some(reader));
        match read {
            Ok(0) => Ok(None),
            Ok(_) => {
                bytes.shrink_to_fit();
                Ok(Some(bytes))
            }
            // TLS servers often close without `close_notify`.
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
            Err(error) => Err(NetError::of_io(&error, "read")),
        }
    }

    async fn write(&self, bytes: Vec<u8>) -> NetResult<()> {
        let Some(mut writer) = self.writer.take() else { return Err(NetError::new("EPIPE", 32, "write")) };
        let work = async move {
            let written = writer.write_all(&bytes).await;
            (if written.is_ok() { writer.flush().await } else { written }, writer)
        };
        let Some((written, writer)) = self.unless_closed(work).await else {
            return Err(NetError::new("ECANCELED", 125, "write"));
        };
        self.writer.replace(Some(writer));
        written.map_err(|error| NetError::of_io(&error, "write"))
    }

    /// Ends the writing side.
    async fn shutdown(&self) -> NetResult<()> {
        let Some(mut writer) = self.writer.take() else { return Ok(()) };
        let work = async move {
            let done = writer.shutdown().await;
            (done, writer)
        };
        let Some((done, writer)) = self.unless_closed(work).await else { return Ok(()) };
        self.writer.replace(Some(writer));
        match done {
            // The peer has closed the connection.
            Err(error) if error.kind() == io::ErrorKind::NotConnected => Ok(()),
            done => done.map_err(|error| NetError::of_io(&error, "shutdown")),
        }
    }

    fn close(&self) {
        self.closed.set(true);
        self.closing.notify_waiters();
        self.reader.take();
        self.writer.take();
        self.settings.take();
    }

    /// Closes it with a TCP reset.
    fn reset(&self) {
        if let Some(socket) = self.settings.borrow().as_ref() {
            // If it fails, the peer sees a normal end.
            let _ = socket.set_linger(Some(std::time::Duration::ZERO));
        }
        self.close();
    }

    /// Takes both halves, interrupting a pending read.
    async fn take_stream(&self) -> Option<Stream> {
        if self.reader.borrow().is_none() {
            self.taking_over.notify_waiters();
            tokio::task::yield_now().await;
        }
        let (reader, writer) = (self.reader.take()?, self.writer.take()?);
        Some(reader.unsplit(writer))
    }

    fn put_stream(&self, stream: impl ByteStream + 'static) {
        let (reader, writer) = split(Box::new(stream) as Stream);
        self.reader.replace(Some(reader));
        self.writer.replace(Some(writer));
    }

    async fn start_tls_client(&self, client: TlsClient) -> NetResult<TlsFacts> {
        let Some(stream) = self.take_stream().await else { return Err(NetError::new("ECONNRESET", 104, "connect")) };
        let Some(handshake) = self.unless_closed(client.connect(stream)).await else {
            return Err(NetError::new("ECANCELED", 125, "connect"));
        };
        let (stream, facts) = handshake?;
        self.put_stream(stream);
        Ok(facts)
    }

    async fn start_tls_server(&self, server: TlsServer) -> NetResult<TlsFacts> {
        let Some(stream) = self.take_stream().await else { return Err(NetError::new("ECONNRESET", 104, "accept")) };
        let Some(handshake) = self.unless_closed(server.accept(stream)).await else {
            return Err(NetError::new("ECANCELED", 125, "accept"));
        };
        let (stream, facts) = handshake?;
        self.put_stream(stream);
        Ok(facts)
    }
}

pub(super) fn address_parts(address: SocketAddr) -> List<(String, u16, &'static str)> {
    List((address.ip().to_string(), address.port(), if address.is_ipv4() { "IPv4" } else { "IPv6" }))
}

/// `{read, write, shutdown, close, reset, setNoDelay, setKeepAlive, local, remote, startTlsClient, startTlsServer}`.
pub(super) fn connection_object<'js>(ctx: &Ctx<'js>, connection: Connection) -> Result<Object<'js>> {
    let object = Object::new(ctx.clone())?;
    object.set("local", connection.local.map(address_parts))?;
    object.set("remote", connection.remote.map(address_parts))?;
    let connection = Rc::new(connection);
    export_transfer(&object, &connection)?;
    export_settings(&object, &connection)?;
    export_tls(&object, &connection)?;
    let own = connection.clone();
    object.set("close", Function::new(ctx.clone(), move || own.close())?)?;
    object.set("reset", Function::new(ctx.clone(), move || connection.reset())?)?;
    Ok(object)
}

fn export_transfer<'js>(object: &Object<'js>, connection: &Rc<Connection>) -> Result<()> {
    let ctx = object.ctx();
    let own = connection.clone();
    // JavaScript decides whether a pending read keeps the program alive (`ref` and `unref`).
    let read = move |ctx: Ctx<'js>| {
        let own = own.clone();
        async move { result_object(&ctx, own.read().await.map(|bytes| bytes.map(Bytes))) }
    };
    object.set("read", Function::new(ctx.clone(), Async(read))?)?;
    let own = connection.clone();
    let write = move |ctx: Ctx<'js>, bytes: Bytes| {
        let own = own.clone();
        KeepAlive::during(&ctx.clone(), async move { result_object(&ctx, own.write(bytes.0).await) })
    };
    object.set("write", Function::new(ctx.clone(), Async(write))?)?;
    let own = connection.clone();
    let shutdown = move |ctx: Ctx<'js>| {
        let own = own.clone();
        KeepAlive::during(&ctx.clone(), async move { result_object(&ctx, own.shutdown().await) })
    };
    object.set("shutdown", Function::new(ctx.clone(), Async(shutdown))?)
}

fn export_settings<'js>(object: &Object<'js>, connection: &Rc<Connection>) -> Result<()> {
    let ctx = object.ctx();
    let own = connection.clone();
    let no_delay = move |wanted: bool| {
        // A failure to set the option is ignored, as in Node.
        own.settings.borrow().as_ref().is_some_and(|socket| socket.set_tcp_nodelay(wanted).is_ok())
    };
    object.set("setNoDelay", Function::new(ctx.clone(), no_delay)?)?;
    let own = connection.clone();
    let keep_alive = move |wanted: bool, seconds: f64| {
        own.settings.borrow().as_ref().is_some_and(|socket| {
            let idle = socket2::TcpKeepalive::new().with_time(std::time::Duration::from_secs_f64(seconds.max(1.0)));
            let timed = !wanted || seconds <= 0.0 || socket.set_tcp_keepalive(&idle).is_ok();
            socket.set_keepalive(wanted).is_ok() && timed
        })
    };
    object.set("setKeepAlive", Function::new(ctx.clone(), keep_alive)?)
}

fn export_tls<'js>(object: &Object<'js>, connection: &Rc<Connection>) -> Result<()> {
    let ctx = object.ctx();
    let own = connection.clone();
    // startTlsClient(settings): the same connection, encrypted.
    let client = move |ctx: Ctx<'js>, settings: Object<'js>| {
        let (own, client) = (own.clone(), TlsClient::from_js(&ctx, &settings));
        KeepAlive::during(&ctx.clone(), async move {
            let handshake = match client? {
                Ok(client) => own.start_tls_client(client).await,
                Err(error) => Err(error),
            };
            result_object(&ctx, handshake)
        })
    };
    object.set("startTlsClient", Function::new(ctx.clone(), Async(client))?)?;
    let own = connection.clone();
    let server = move |ctx: Ctx<'js>, settings: Object<'js>| {
        let (own, server) = (own.clone(), TlsServer::from_js(&settings));
        KeepAlive::during(&ctx.clone(), async move {
            let handshake = match server? {
                Ok(server) => own.start_tls_server(server).await,
                Err(error) => Err(error),
            };
            result_object(&ctx, handshake)
        })
    };
    object.set("startTlsServer", Function::new(ctx.clone(), Async(server))?)
}
