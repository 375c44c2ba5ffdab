//! Native half of `process.stdin`.

use std::io::Read;
use std::rc::Rc;

use rquickjs::{Ctx, Function, Object, Result, prelude::Async};

use super::loop_handle::LoopHandle;
use crate::globals::Bytes;
use crate::host::host;
use crate::native_module::NativeModule;

pub(super) const NATIVE: NativeModule = NativeModule { name: "lmthing:internal/native/stdin", init };

const CHUNK: usize = 64 << 10;

fn init<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let exports = Object::new(ctx.clone())?;
    // read(): the next bytes, undefined at the end. Blocks on a separate thread, as files have no readiness events.
    exports.set("read", Function::new(ctx.clone(), Async(read))?)?;
    // keepAlive(on): whether the program waits for the pending read.
    let handle = Rc::new(LoopHandle::new());
    let keep_alive = move |ctx: Ctx<'js>, on: bool| handle.set_active(&ctx, on);
    exports.set("keepAlive", Function::new(ctx.clone(), keep_alive)?)?;
    super::terminal::exports(&exports)?;
    Ok(exports)
}

async fn read(ctx: Ctx<'_>) -> Option<Bytes> {
    if !host(&ctx).is_ok_and(|host| host.has_stdin()) {
        return None;
    }
    let read = || {
        let mut buffer = vec![0; CHUNK];
        let count = std::io::stdin().lock().read(&mut buffer);
        buffer.truncate(count.unwrap_or(0));
        buffer.shrink_to_fit();
        buffer
    };
    let bytes = tokio::task::spawn_blocking(read).await.unwrap_or_default();
    (!bytes.is_empty()).then_some(Bytes(bytes))
}
