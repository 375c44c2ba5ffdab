//! Native halves of Node's modules for processes, signals, terminals, sockets, TLS and compression (docs/reference/node.md).
//!
//! The JavaScript halves check arguments and make errors.

mod brotli_codec;
mod byte_stream;
mod child_command;
mod child_process;
mod child_sync;
mod children;
mod codec;
mod compression;
mod deflate_codec;
mod loop_handle;
mod network;
mod network_error;
mod results;
mod signals;
mod socket;
mod stdin;
mod system;
mod terminal;
mod tls_settings;

pub use children::end_all as end_children;
pub use signals::{receive_signals, take_signal};
pub use terminal::{keep_typed_keys, restore_terminal};

use rquickjs::{Ctx, Function, Object, Result};

use super::event_loop::follow_promises;
use super::native_module::NativeModule;

pub(crate) const NATIVE_MODULES: &[NativeModule] = &[
    loop_handle::NATIVE,
    ASYNC_CONTEXT,
    child_process::NATIVE,
    compression::NATIVE,
    network::NATIVE,
    stdin::NATIVE,
    system::NATIVE,
];

/// Native half of `AsyncLocalStorage`. `followPromises(follow)`: calls `follow(isNew, promise)` for each promise that is
/// made or fulfilled.
const ASYNC_CONTEXT: NativeModule = NativeModule { name: "lmthing:internal/native/async-context", init: async_context };

fn async_context<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let exports = Object::new(ctx.clone())?;
    let follow = |ctx: Ctx<'js>, follow: Function<'js>| follow_promises(&ctx, follow);
    exports.set("followPromises", Function::new(ctx.clone(), follow)?)?;
    Ok(exports)
}
