//! Native half of `node:crypto` and `crypto`, using RustCrypto, `ring` and the system's random numbers.
//!
//! Keys are plain bytes here. JavaScript handles key formats and checks arguments.

mod cipher;
mod curves;
mod derive;
mod digests;
mod hash;
mod jobs;
mod rsa;

use rquickjs::{Ctx, Exception, Function, Object, Result};

use super::bytes::Bytes;
use crate::native_module::NativeModule;

fn random_bytes(ctx: Ctx<'_>, size: usize) -> Result<Bytes> {
    let mut bytes = vec![0; size];
    getrandom::fill(&mut bytes)
        .map_err(|error| Exception::throw_message(&ctx, &format!("The system gave no random bytes: {error}")))?;
    Ok(Bytes(bytes))
}

pub(super) const NATIVE: NativeModule = NativeModule { name: "lmthing:internal/native/crypto", init: exports };

fn exports<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let exports = Object::new(ctx.clone())?;
    exports.set("randomBytes", Function::new(ctx.clone(), random_bytes)?)?;
    hash::add_exports(&exports)?;
    cipher::add_exports(&exports)?;
    derive::add_exports(&exports)?;
    curves::add_exports(&exports)?;
    rsa::add_exports(&exports)?;
    Ok(exports)
}
