//! Hashes, message authentication and random bytes, by RustCrypto and the operating system.

use std::{cell::RefCell, rc::Rc};

use hmac::{KeyInit, Mac, SimpleHmac};
use md5::Md5;
use rquickjs::{Ctx, Exception, Function, Object, Result};
use sha1::Sha1;
use sha2::{Digest, Sha224, Sha256, Sha384, Sha512};

use super::bytes::Bytes;
use crate::script::native_module::NativeModule;

/// A hash or HMAC in progress, free of its algorithm.
trait Hasher {
    fn update(&mut self, bytes: &[u8]);
    fn finish(&self) -> Vec<u8>;
    fn copy(&self) -> Box<dyn Hasher>;
}

#[derive(Clone)]
struct PlainHasher<D>(D);

impl<D: Digest + Clone + 'static> Hasher for PlainHasher<D> {
    fn update(&mut self, bytes: &[u8]) {
        Digest::update(&mut self.0, bytes);
    }

    fn finish(&self) -> Vec<u8> {
        // Finishing uses a hash up, and a trait object is only borrowed.
        self.0.clone().finalize().to_vec()
    }

    fn copy(&self) -> Box<dyn Hasher> {
        Box::new(PlainHasher(self.0.clone()))
    }
}

#[derive(Clone)]
struct KeyedHasher<M>(M);

impl<M: Mac + Clone + 'static> Hasher for KeyedHasher<M> {
    fn update(&mut self, bytes: &[u8]) {
        Mac::update(&mut self.0, bytes);
    }

    fn finish(&self) -> Vec<u8> {
        self.0.clone().finalize().into_bytes().to_vec()
    }

    fn copy(&self) -> Box<dyn Hasher> {
        Box::new(KeyedHasher(self.0.clone()))
    }
}

/// The algorithms Node's `getHashes()` lists that are offered here, in the spelling of the JavaScript half.
const HASHES: [&str; 6] = ["md5", "sha1", "sha224", "sha256", "sha384", "sha512"];

fn plain<D: Digest + Clone + 'static>() -> Box<dyn Hasher> {
    Box::new(PlainHasher(D::new()))
}

fn keyed<M: Mac + KeyInit + Clone + 'static>(key: &[u8]) -> Option<Box<dyn Hasher>> {
    M::new_from_slice(key).ok().map(|mac| Box::new(KeyedHasher(mac)) as Box<dyn Hasher>)
}

fn new_hash(name: &str) -> Option<Box<dyn Hasher>> {
    Some(match name {
        "md5" => plain::<Md5>(),
        "sha1" => plain::<Sha1>(),
        "sha224" => plain::<Sha224>(),
        "sha256" => plain::<Sha256>(),
        "sha384" => plain::<Sha384>(),
        "sha512" => plain::<Sha512>(),
        _ => return None,
    })
}

fn new_hmac(name: &str, key: &[u8]) -> Option<Box<dyn Hasher>> {
    match name {
        "md5" => keyed::<SimpleHmac<Md5>>(key),
        "sha1" => keyed::<SimpleHmac<Sha1>>(key),
        "sha224" => keyed::<SimpleHmac<Sha224>>(key),
        "sha256" => keyed::<SimpleHmac<Sha256>>(key),
        "sha384" => keyed::<SimpleHmac<Sha384>>(key),
        "sha512" => keyed::<SimpleHmac<Sha512>>(key),
        _ => None,
    }
}

/// `{update(bytes), digest(), copy()}` around a hash; `digest` may be called again, the JavaScript half forbids it.
fn hasher_object<'js>(ctx: &Ctx<'js>, hasher: Box<dyn Hasher>) -> Result<Object<'js>> {
    let state = Rc::new(RefCell::new(hasher));
    let object = Object::new(ctx.clone())?;
    let hasher = state.clone();
    object.set("update", Function::new(ctx.clone(), move |bytes: Bytes| hasher.borrow_mut().update(&bytes.0))?)?;
    let hasher = state.clone();
    object.set("digest", Function::new(ctx.clone(), move || Bytes(hasher.borrow().finish()))?)?;
    let copy = move |ctx: Ctx<'js>| hasher_object(&ctx, state.borrow().copy());
    object.set("copy", Function::new(ctx.clone(), copy)?)?;
    Ok(object)
}

/// `randomBytes(size)` from the operating system.
fn random_bytes(ctx: Ctx<'_>, size: usize) -> Result<Bytes> {
    let mut bytes = vec![0; size];
    getrandom::fill(&mut bytes)
        .map_err(|error| Exception::throw_message(&ctx, &format!("The system gave no random bytes: {error}")))?;
    Ok(Bytes(bytes))
}

/// The native half, as the JavaScript half imports it.
pub(super) const NATIVE: NativeModule = NativeModule { name: "lmthing:internal/native/crypto", init: exports };

fn exports<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let exports = Object::new(ctx.clone())?;
    let create_hash =
        |ctx: Ctx<'js>, name: String| new_hash(&name).map(|hasher| hasher_object(&ctx, hasher)).transpose();
    let create_hmac = |ctx: Ctx<'js>, name: String, key: Bytes| {
        new_hmac(&name, &key.0).map(|hasher| hasher_object(&ctx, hasher)).transpose()
    };
    exports.set("hashes", HASHES.to_vec())?;
    exports.set("createHash", Function::new(ctx.clone(), create_hash)?)?;
    exports.set("createHmac", Function::new(ctx.clone(), create_hmac)?)?;
    exports.set("randomBytes", Function::new(ctx.clone(), random_bytes)?)?;
    Ok(exports)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_listed_hash_exists_plain_and_keyed() {
        for name in HASHES {
            assert!(new_hash(name).is_some(), "{name}");
            assert!(
                new_hmac(name, b"a key longer than a block of any of them, which is hashed first").is_some(),
                "{name}"
            );
        }
        assert!(new_hash("sha3").is_none());
    }
}
