//! RSA: keys, signatures and encryption. Numbers are big-endian bytes.

use std::rc::Rc;

use getrandom::{SysRng, rand_core::UnwrapErr};
use rquickjs::{Ctx, Exception, Function, Object, Result, convert::List};
use rsa::hazmat::{rsa_decrypt_and_check, rsa_encrypt};
use rsa::traits::{PrivateKeyParts, PublicKeyParts};
use rsa::{BoxedUint, Oaep, Pkcs1v15Encrypt, Pkcs1v15Sign, Pss, RsaPrivateKey, RsaPublicKey};

use super::super::bytes::Bytes;
use super::digests::with_digest;
use super::jobs::{JobResult, export_job};

/// OpenSSL's minimum, and a maximum that bounds the time of an operation.
const MODULUS_BITS: std::ops::RangeInclusive<usize> = 512..=16384;

fn number(bytes: &[u8]) -> BoxedUint {
    BoxedUint::from_be_slice_vartime(bytes)
}

fn trimmed(number: &BoxedUint) -> Bytes {
    Bytes(number.to_be_bytes_trimmed_vartime().to_vec())
}

/// The system's random source does not fail in practice, so failures panic.
fn random() -> UnwrapErr<SysRng> {
    UnwrapErr(SysRng)
}

/// `[n, e, d, p, q, dp, dq, qi]`, in the order of PKCS #1.
fn numbers(key: &RsaPrivateKey) -> Option<Vec<Bytes>> {
    let [p, q] = key.primes() else { return None };
    let mut numbers = vec![trimmed(key.n()), trimmed(key.e()), trimmed(key.d()), trimmed(p), trimmed(q)];
    numbers.extend([trimmed(key.dp()?), trimmed(key.dq()?), trimmed(&key.crt_coefficient()?)]);
    Some(numbers)
}

fn generate((bits, exponent): (usize, u32)) -> JobResult<Vec<Bytes>> {
    let key = RsaPrivateKey::new_with_exp_unchecked(&mut random(), bits, BoxedUint::from(exponent));
    key.ok().as_ref().and_then(numbers).ok_or("no such key")
}

/// Padding (`pkcs1`, `pss`, `oaep` or `none`), hash, salt length, and prefix or label.
type Padding = List<(String, String, Option<usize>, Option<Bytes>)>;

fn sign(key: &RsaPrivateKey, List((padding, hash, salt, prefix)): Padding, digest: &[u8]) -> Option<Bytes> {
    let mut random = random();
    let signature = match padding.as_str() {
        "pkcs1" => {
            let prefix = prefix.map(|prefix| prefix.0.into_boxed_slice()).unwrap_or_default();
            key.sign_with_rng(&mut random, Pkcs1v15Sign { hash_len: None, prefix }, digest).ok()
        }
        "pss" => with_digest!(rsa hash.as_str(), D => {
            key.sign_with_rng(&mut random, Pss::<D>::new_with_salt(salt?), digest).ok()
        }),
        _ => {
            let message = number_below(digest, key)?;
            let raised = rsa_decrypt_and_check(key, Some(&mut random), &message).ok()?;
            Some(padded(&raised, key.size()))
        }
    };
    signature.map(Bytes)
}

fn verify(
    key: &RsaPublicKey,
    List((padding, hash, salt, prefix)): Padding,
    digest: &[u8],
    signature: &[u8],
) -> Option<()> {
    match padding.as_str() {
        "pkcs1" => {
            let prefix = prefix.map(|prefix| prefix.0.into_boxed_slice()).unwrap_or_default();
            key.verify(Pkcs1v15Sign { hash_len: None, prefix }, digest, signature).ok()
        }
        // Without a salt length, any length is accepted.
        _ => with_digest!(rsa hash.as_str(), D => {
            key.verify(Pss::<D> { salt_len: salt, ..Pss::new() }, digest, signature).ok()
        }),
    }
}

fn encrypt(key: &RsaPublicKey, List((padding, hash, _, label)): Padding, message: &[u8]) -> Option<Bytes> {
    let mut random = random();
    let encrypted = match padding.as_str() {
        "pkcs1" => key.encrypt(&mut random, Pkcs1v15Encrypt, message).ok(),
        "oaep" => with_digest!(rsa hash.as_str(), D => {
            let label = label.map(|label| label.0.into_boxed_slice());
            key.encrypt(&mut random, Oaep::<D> { label, ..Oaep::new() }, message).ok()
        }),
        _ => Some(padded(&rsa_encrypt(key, &number_below(message, key)?).ok()?, key.size())),
    };
    encrypted.map(Bytes)
}

fn decrypt(key: &RsaPrivateKey, List((padding, hash, _, label)): Padding, message: &[u8]) -> Option<Bytes> {
    let mut random = random();
    let decrypted = match padding.as_str() {
        "pkcs1" => key.decrypt_blinded(&mut random, Pkcs1v15Encrypt, message).ok(),
        _ => with_digest!(rsa hash.as_str(), D => {
            let label = label.map(|label| label.0.into_boxed_slice());
            key.decrypt_blinded(&mut random, Oaep::<D> { label, ..Oaep::new() }, message).ok()
        }),
    };
    decrypted.map(Bytes)
}

/// Reads a number as long as the modulus; `None` if it is not below the modulus.
fn number_below(bytes: &[u8], key: &impl PublicKeyParts) -> Option<BoxedUint> {
    let number = BoxedUint::from_be_slice(bytes, key.n_bits_precision()).ok()?;
    (bytes.len() == key.size() && number < *key.n().as_ref()).then_some(number)
}

fn padded(number: &BoxedUint, size: usize) -> Vec<u8> {
    let bytes = number.to_be_bytes_trimmed_vartime();
    let mut padded = vec![0; size.saturating_sub(bytes.len())];
    padded.extend_from_slice(&bytes);
    padded
}

/// `{verify, encrypt}`.
fn public_object<'js>(ctx: &Ctx<'js>, key: RsaPublicKey) -> Result<Object<'js>> {
    let key = Rc::new(key);
    let object = Object::new(ctx.clone())?;
    let own = key.clone();
    let check = move |padding: Padding, digest: Bytes, signature: Bytes| {
        verify(&own, padding, &digest.0, &signature.0).is_some()
    };
    object.set("verify", Function::new(ctx.clone(), check)?)?;
    let encrypt = move |padding: Padding, message: Bytes| encrypt(&key, padding, &message.0);
    object.set("encrypt", Function::new(ctx.clone(), encrypt)?)?;
    Ok(object)
}

/// `{sign, decrypt}`.
fn private_object<'js>(ctx: &Ctx<'js>, key: RsaPrivateKey) -> Result<Object<'js>> {
    let key = Rc::new(key);
    let object = Object::new(ctx.clone())?;
    let own = key.clone();
    let sign = move |padding: Padding, digest: Bytes| sign(&own, padding, &digest.0);
    object.set("sign", Function::new(ctx.clone(), sign)?)?;
    let decrypt = move |padding: Padding, message: Bytes| decrypt(&key, padding, &message.0);
    object.set("decrypt", Function::new(ctx.clone(), decrypt)?)?;
    Ok(object)
}

/// Adds `rsaGenerate` (also as a promise), `rsaPublicKey(n, e)` and `rsaPrivateKey(n, e, d, p, q)`.
pub(super) fn add_exports<'js>(exports: &Object<'js>) -> Result<()> {
    let ctx = exports.ctx();
    export_job(exports, "rsaGenerate", generate)?;
    let public_key = |ctx: Ctx<'js>, n: Bytes, e: Bytes| {
        let key = RsaPublicKey::new_with_size_limits(number(&n.0), number(&e.0), MODULUS_BITS);
        public_object(&ctx, key.map_err(|error| Exception::throw_message(&ctx, &error.to_string()))?)
    };
    exports.set("rsaPublicKey", Function::new(ctx.clone(), public_key)?)?;
    let private_key = |ctx: Ctx<'js>, n: Bytes, e: Bytes, d: Bytes, p: Bytes, q: Bytes| {
        let primes = vec![number(&p.0), number(&q.0)];
        let key = RsaPrivateKey::from_components(number(&n.0), number(&e.0), number(&d.0), primes);
        private_object(&ctx, key.map_err(|error| Exception::throw_message(&ctx, &error.to_string()))?)
    };
    exports.set("rsaPrivateKey", Function::new(ctx.clone(), private_key)?)
}
