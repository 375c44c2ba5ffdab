//! Streaming hashes and HMACs.

use std::{cell::RefCell, rc::Rc};

use hmac::{KeyInit, Mac};
use rquickjs::{Ctx, Function, Object, Result, function::Opt};
use sha2::Digest;
use shake::{ExtendableOutput, Shake128, Shake256, Update, XofReader};

use super::super::bytes::Bytes;
use super::digests::with_digest;

/// A hash or HMAC, independent of its algorithm.
trait Hasher {
    fn update(&mut self, bytes: &[u8]);
    /// The digest. `length` applies to hashes of variable length.
    fn finish(&self, length: usize) -> Vec<u8>;
    fn copy(&self) -> Box<dyn Hasher>;
}

#[derive(Clone)]
struct PlainHasher<D>(D);

impl<D: Digest + Clone + 'static> Hasher for PlainHasher<D> {
    fn update(&mut self, bytes: &[u8]) {
        Digest::update(&mut self.0, bytes);
    }

    fn finish(&self, _: usize) -> Vec<u8> {
        // `finalize` consumes the hash, which is borrowed here.
        self.0.clone().finalize().to_vec()
    }

    fn copy(&self) -> Box<dyn Hasher> {
        Box::new(Self(self.0.clone()))
    }
}

#[derive(Clone)]
struct KeyedHasher<M>(M);

impl<M: Mac + Clone + 'static> Hasher for KeyedHasher<M> {
    fn update(&mut self, bytes: &[u8]) {
        Mac::update(&mut self.0, bytes);
    }

    fn finish(&self, _: usize) -> Vec<u8> {
        self.0.clone().finalize().into_bytes().to_vec()
    }

    fn copy(&self) -> Box<dyn Hasher> {
        Box::new(Self(self.0.clone()))
    }
}

#[derive(Clone)]
struct ExtendableHasher<X>(X);

impl<X: Update + ExtendableOutput + Clone + 'static> Hasher for ExtendableHasher<X> {
    fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn finish(&self, length: usize) -> Vec<u8> {
        let mut digest = vec![0; length];
        self.0.clone().finalize_xof().read(&mut digest);
        digest
    }

    fn copy(&self) -> Box<dyn Hasher> {
        Box::new(Self(self.0.clone()))
    }
}

fn new_hash(name: &str) -> Option<Box<dyn Hasher>> {
    match name {
        "shake128" => Some(Box::new(ExtendableHasher(Shake128::default()))),
        "shake256" => Some(Box::new(ExtendableHasher(Shake256::default()))),
        _ => with_digest!(name, D, _Keyed => Some(Box::new(PlainHasher(D::new()))), else None),
    }
}

fn new_hmac(name: &str, key: &[u8]) -> Option<Box<dyn Hasher>> {
    with_digest!(name, _D, Keyed => Some(Box::new(KeyedHasher(<Keyed as KeyInit>::new_from_slice(key).ok()?))), else None)
}

/// `{update(bytes), digest(length), copy()}`. JavaScript prevents a second `digest`.
fn hasher_object<'js>(ctx: &Ctx<'js>, hasher: Box<dyn Hasher>) -> Result<Object<'js>> {
    let state = Rc::new(RefCell::new(hasher));
    let object = Object::new(ctx.clone())?;
    let hasher = state.clone();
    object.set("update", Function::new(ctx.clone(), move |bytes: Bytes| hasher.borrow_mut().update(&bytes.0))?)?;
    let hasher = state.clone();
    let digest =
        move |length: Opt<Option<usize>>| Bytes(hasher.borrow().finish(length.0.flatten().unwrap_or_default()));
    object.set("digest", Function::new(ctx.clone(), digest)?)?;
    let copy = move |ctx: Ctx<'js>| hasher_object(&ctx, state.borrow().copy());
    object.set("copy", Function::new(ctx.clone(), copy)?)?;
    Ok(object)
}

/// Adds `createHash(name)` and `createHmac(name, key)`, which return undefined for an unknown hash.
pub(super) fn add_exports<'js>(exports: &Object<'js>) -> Result<()> {
    let ctx = exports.ctx();
    let create_hash =
        |ctx: Ctx<'js>, name: String| new_hash(&name).map(|hasher| hasher_object(&ctx, hasher)).transpose();
    let create_hmac = |ctx: Ctx<'js>, name: String, key: Bytes| {
        new_hmac(&name, &key.0).map(|hasher| hasher_object(&ctx, hasher)).transpose()
    };
    exports.set("createHash", Function::new(ctx.clone(), create_hash)?)?;
    exports.set("createHmac", Function::new(ctx.clone(), create_hmac)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_exist_plain_and_keyed() {
        let long = b"a key longer than a block of any of them, which is hashed first";
        for name in ["md5", "sha1", "sha256", "sha512-256", "sha3-256", "ripemd160", "blake2b512", "blake2s256"] {
            assert!(new_hash(name).is_some(), "{name}");
            assert!(new_hmac(name, long).is_some(), "{name}");
        }
        assert!(new_hash("sha3").is_none());
    }

    #[test]
    fn a_hash_of_variable_length_gives_what_is_asked_for() {
        let hash = new_hash("shake128").expect("it is there");
        assert_eq!(hash.finish(4), [0x7f, 0x9c, 0x2b, 0xa4]);
        assert_eq!(hash.finish(100).len(), 100);
    }
}
