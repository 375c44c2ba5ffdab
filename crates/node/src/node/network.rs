//! Native half of `node:net` and `node:dns`: connecting, listening, name lookup.

use std::cell::RefCell;
use std::future::poll_fn;
use std::net::{IpAddr, SocketAddr};
use std::rc::Rc;
use std::task::{Context, Poll, ready};

use rquickjs::{Ctx, Function, Object, Result, convert::List, prelude::Async};
use tokio::net::{TcpListener, TcpStream};
#[cfg(unix)]
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::Notify;

use super::network_error::{NetError, NetResult, result_object};
use super::socket::{Connection, address_parts, connection_object};
use crate::event_loop::KeepAlive;
use crate::gate;
use crate::native_module::NativeModule;
use crate::string_text::WellFormed;
use lmthing_base::permission::Access;

pub(super) const NATIVE: NativeModule = NativeModule { name: "lmthing:internal/native/network", init: exports };

/// The addresses of a host name, in the system's order.
async fn lookup(host: &str) -> NetResult<Vec<IpAddr>> {
    if let Ok(address) = host.parse() {
        return Ok(vec![address]);
    }
    let not_found = || NetError::new("ENOTFOUND", 3008, "getaddrinfo");
    let mut addresses: Vec<IpAddr> = Vec::new();
    for found in tokio::net::lookup_host((host, 0)).await.map_err(|_| not_found())? {
        if !addresses.contains(&found.ip()) {
            addresses.push(found.ip());
        }
    }
    if addresses.is_empty() { Err(not_found()) } else { Ok(addresses) }
}

async fn connect_tcp(address: &str, port: u16) -> NetResult<Connection> {
    let address: IpAddr = address.parse().map_err(|_| NetError::new("EINVAL", 22, "connect"))?;
    let stream = TcpStream::connect(SocketAddr::new(address, port)).await;
    stream.and_then(Connection::of_tcp).map_err(|error| NetError::of_io(&error, "connect"))
}

#[cfg(unix)]
async fn connect_path(path: &str) -> NetResult<Connection> {
    UnixStream::connect(path).await.map(Connection::of_unix).map_err(|error| NetError::of_io(&error, "connect"))
}

#[cfg(not(unix))]
async fn connect_path(_path: &str) -> NetResult<Connection> {
    Err(NetError::with_message("ENOTSUP", "lmthing does not offer pipes here"))
}

enum Listener {
    Tcp(TcpListener),
    #[cfg(unix)]
    Unix(UnixListener),
}

impl Listener {
    fn tcp(address: &str, port: u16) -> NetResult<Self> {
        let failed = |error: std::io::Error| NetError::of_io(&error, "listen");
        let address: IpAddr = address.parse().map_err(|_| NetError::new("EINVAL", 22, "listen"))?;
        let domain = if address.is_ipv4() { socket2::Domain::IPV4 } else { socket2::Domain::IPV6 };
        let socket = socket2::Socket::new(domain, socket2::Type::STREAM, None).map_err(failed)?;
        if cfg!(unix) {
            // Lets a port be reused right after it was closed.
            socket.set_reuse_address(true).map_err(failed)?;
        }
        if address.is_unspecified() && address.is_ipv6() {
            // Listens on IPv4 and IPv6, as Node does.
            let _ = socket.set_only_v6(false);
        }
        socket.set_nonblocking(true).map_err(failed)?;
        socket.bind(&SocketAddr::new(address, port).into()).map_err(failed)?;
        socket.listen(511).map_err(failed)?;
        TcpListener::from_std(socket.into()).map(Self::Tcp).map_err(failed)
    }

    #[cfg(unix)]
    fn path(path: &str) -> NetResult<Self> {
        UnixListener::bind(path).map(Self::Unix).map_err(|error| NetError::of_io(&error, "listen"))
    }

    #[cfg(not(unix))]
    fn path(_path: &str) -> NetResult<Self> {
        Err(NetError::with_message("ENOTSUP", "lmthing does not offer pipes here"))
    }

    fn poll_accept(&self, task: &mut Context<'_>) -> Poll<NetResult<Connection>> {
        let accepted = match self {
            Self::Tcp(listener) => {
                ready!(listener.poll_accept(task)).and_then(|(stream, _)| Connection::of_tcp(stream))
            }
            #[cfg(unix)]
            Self::Unix(listener) => ready!(listener.poll_accept(task)).map(|(stream, _)| Connection::of_unix(stream)),
        };
        Poll::Ready(accepted.map_err(|error| NetError::of_io(&error, "accept")))
    }
}

/// `{accept(), close(), address}`; `accept` resolves to undefined once the listener is closed.
fn listener_object<'js>(ctx: &Ctx<'js>, listener: Listener) -> Result<Object<'js>> {
    let object = Object::new(ctx.clone())?;
    if let Listener::Tcp(listener) = &listener {
        object.set("address", listener.local_addr().ok().map(address_parts))?;
    }
    let listener = Rc::new(RefCell::new(Some(listener)));
    let closing = Rc::new(Notify::new());
    let (own, closed) = (listener.clone(), closing.clone());
    let accept = move |ctx: Ctx<'js>| {
        let (listener, closed) = (own.clone(), closed.clone());
        async move {
            // Borrowed for each poll only, so that `close` can drop the listener at once and later connections are
            // refused.
            let accepted = poll_fn(|task| match listener.borrow().as_ref() {
                Some(listener) => listener.poll_accept(task).map(Some),
                None => Poll::Ready(None),
            });
            let accepted = tokio::select! {
                accepted = accepted => accepted,
                () = closed.notified() => None,
            };
            match accepted {
                Some(Ok(connection)) => result_object(&ctx, Ok(connection_object(&ctx, connection)?)).map(Some),
                Some(Err(error)) => result_object::<()>(&ctx, Err(error)).map(Some),
                None => Ok(None),
            }
        }
    };
    object.set("accept", Function::new(ctx.clone(), Async(accept))?)?;
    let close = move || {
        listener.take();
        closing.notify_waiters();
    };
    object.set("close", Function::new(ctx.clone(), close)?)?;
    Ok(object)
}

fn listener_result<'js>(ctx: &Ctx<'js>, listener: NetResult<Listener>) -> Result<Object<'js>> {
    match listener {
        Ok(listener) => result_object(ctx, Ok(listener_object(ctx, listener)?)),
        Err(error) => result_object::<()>(ctx, Err(error)),
    }
}

fn connection_result<'js>(ctx: &Ctx<'js>, connection: NetResult<Connection>) -> Result<Object<'js>> {
    match connection {
        Ok(connection) => result_object(ctx, Ok(connection_object(ctx, connection)?)),
        Err(error) => result_object::<()>(ctx, Err(error)),
    }
}

/// Runs `work` as a promise if the permission allows it.
fn with_permission<'js>(
    ctx: Ctx<'js>,
    target: String,
    work: impl Future<Output = Result<Object<'js>>>,
) -> impl Future<Output = Result<Object<'js>>> {
    let refusal = gate::denied_error(&ctx, Access::Network(&target));
    KeepAlive::during(&ctx.clone(), async move {
        if let Some(refusal) = refusal? {
            return Err(ctx.throw(refusal.into_value()));
        }
        work.await
    })
}

/// `host:port`, the form in which permissions are checked.
fn host_target(address: &str, port: u16) -> String {
    if address.contains(':') { format!("[{address}]:{port}") } else { format!("{address}:{port}") }
}

/// The path of a socket, absolute for a restricted script: the permission check could take a relative one for a host name.
fn path_target(ctx: &Ctx<'_>, path: &str) -> String {
    if gate::restricted(ctx).is_none() {
        return path.to_owned();
    }
    std::path::absolute(path).map_or_else(|_| format!("/{path}"), |path| path.display().to_string())
}

fn exports<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let exports = Object::new(ctx.clone())?;
    // connect(address, port), connectPath(path): {value: connection}
    let connect = |ctx: Ctx<'js>, WellFormed(address): WellFormed, port: u16| {
        let (inner, target) = (ctx.clone(), host_target(&address, port));
        with_permission(ctx, target, async move { connection_result(&inner, connect_tcp(&address, port).await) })
    };
    exports.set("connect", Function::new(ctx.clone(), Async(connect))?)?;
    let connect = |ctx: Ctx<'js>, WellFormed(path): WellFormed| {
        let (inner, target) = (ctx.clone(), path_target(&ctx, &path));
        with_permission(ctx, target, async move { connection_result(&inner, connect_path(&path).await) })
    };
    exports.set("connectPath", Function::new(ctx.clone(), Async(connect))?)?;
    // listen(address, port), listenPath(path): {value: listener}
    let listen = |ctx: Ctx<'js>, WellFormed(address): WellFormed, port: u16| {
        gate::check(&ctx, Access::Network(&host_target(&address, port)))?;
        listener_result(&ctx, Listener::tcp(&address, port))
    };
    exports.set("listen", Function::new(ctx.clone(), listen)?)?;
    let listen = |ctx: Ctx<'js>, WellFormed(path): WellFormed| {
        gate::check(&ctx, Access::Network(&path_target(&ctx, &path)))?;
        listener_result(&ctx, Listener::path(&path))
    };
    exports.set("listenPath", Function::new(ctx.clone(), listen)?)?;
    // lookup(name): {value: [[address, family], …]}
    let find = |ctx: Ctx<'js>, WellFormed(host): WellFormed| {
        let (inner, target) = (ctx.clone(), host.clone());
        let family = |address: &IpAddr| if address.is_ipv4() { 4 } else { 6 };
        with_permission(ctx, target, async move {
            let all = lookup(&host).await;
            if let (Ok(addresses), Some(rights)) = (&all, gate::restricted(&inner)) {
                rights.learn_addresses(&host, addresses);
            }
            result_object(
                &inner,
                all.map(|all| all.iter().map(|a| List((a.to_string(), family(a)))).collect::<Vec<_>>()),
            )
        })
    };
    exports.set("lookup", Function::new(ctx.clone(), Async(find))?)?;
    // ipVersion(text): 4, 6 or 0
    let version = |WellFormed(text): WellFormed| {
        let address = text.split_once('%').map_or(text.as_str(), |(address, _)| address);
        match address.parse() {
            Ok(IpAddr::V4(_)) if !text.contains('%') => 4,
            Ok(IpAddr::V6(_)) => 6,
            _ => 0,
        }
    };
    exports.set("ipVersion", Function::new(ctx.clone(), version)?)?;
    Ok(exports)
}
