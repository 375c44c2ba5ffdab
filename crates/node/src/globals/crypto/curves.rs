//! Elliptic curves: signatures and key agreement.
//!
//! A private key is its scalar or seed, a public key its SEC 1 point (Weierstrass curves) or its 32 bytes (25519).
//! Signatures are `r` and `s` concatenated.

use getrandom::SysRng;
use p256::ecdsa::signature::hazmat::{PrehashVerifier, RandomizedPrehashSigner};
use p256::elliptic_curve::{Generate, sec1::ToSec1Point};
use ring::signature::{ED25519, Ed25519KeyPair, KeyPair, UnparsedPublicKey};
use rquickjs::{Function, Object, Result};

use super::super::bytes::Bytes;

/// Evaluates the expression with `$curve` as the crate of the curve with that JWK name.
macro_rules! with_curve {
    ($name:expr, $curve:ident => $then:expr) => {
        match $name {
            "P-256" => {
                use p256 as $curve;
                $then
            }
            "P-384" => {
                use p384 as $curve;
                $then
            }
            "P-521" => {
                use p521 as $curve;
                $then
            }
            "secp256k1" => {
                use k256 as $curve;
                $then
            }
            _ => None,
        }
    };
}

fn generate(curve: String) -> Option<Bytes> {
    match curve.as_str() {
        "Ed25519" | "X25519" => {
            let mut seed = vec![0; 32];
            getrandom::fill(&mut seed).ok()?;
            Some(Bytes(seed))
        }
        name => with_curve!(name, curve => {
            Some(Bytes(curve::SecretKey::try_generate_from_rng(&mut SysRng).ok()?.to_bytes().to_vec()))
        }),
    }
}

fn public_key(curve: String, private: Bytes) -> Option<Bytes> {
    match curve.as_str() {
        "Ed25519" => {
            let pair = Ed25519KeyPair::from_seed_unchecked(&private.0).ok()?;
            Some(Bytes(pair.public_key().as_ref().to_vec()))
        }
        "X25519" => {
            let secret = x25519_dalek::StaticSecret::from(<[u8; 32]>::try_from(private.0).ok()?);
            Some(Bytes(x25519_dalek::PublicKey::from(&secret).to_bytes().to_vec()))
        }
        name => with_curve!(name, curve => {
            let public = curve::SecretKey::from_slice(&private.0).ok()?.public_key();
            Some(Bytes(public.to_sec1_point(false).as_bytes().to_vec()))
        }),
    }
}

/// Compresses or expands a public key; `None` when the point is not on the curve.
fn convert_point(curve: String, public: Bytes, compress: bool) -> Option<Bytes> {
    with_curve!(curve.as_str(), curve => {
        let public = curve::PublicKey::from_sec1_bytes(&public.0).ok()?;
        Some(Bytes(public.to_sec1_point(compress).as_bytes().to_vec()))
    })
}

fn sign_digest(curve: String, private: Bytes, digest: Bytes) -> Option<Bytes> {
    with_curve!(curve.as_str(), curve => {
        let key = curve::ecdsa::SigningKey::from_slice(&private.0).ok()?;
        let signature: curve::ecdsa::Signature = key.sign_prehash_with_rng(&mut SysRng, &digest.0).ok()?;
        Some(Bytes(signature.to_bytes().to_vec()))
    })
}

fn verify_digest(curve: String, public: Bytes, digest: Bytes, signature: Bytes) -> bool {
    let outcome = with_curve!(curve.as_str(), curve => {
        curve::ecdsa::VerifyingKey::from_sec1_bytes(&public.0).ok().and_then(|key| {
            // One crate accepts only the smaller of the two values of `s`; OpenSSL accepts both.
            let signature = curve::ecdsa::Signature::from_slice(&signature.0).ok()?.normalize_s();
            key.verify_prehash(&digest.0, &signature).ok()
        })
    });
    outcome.is_some()
}

/// Ed25519 hashes the message itself.
fn sign_message(private: Bytes, message: Bytes) -> Option<Bytes> {
    let pair = Ed25519KeyPair::from_seed_unchecked(&private.0).ok()?;
    Some(Bytes(pair.sign(&message.0).as_ref().to_vec()))
}

fn verify_message(public: Bytes, message: Bytes, signature: Bytes) -> bool {
    UnparsedPublicKey::new(&ED25519, &public.0).verify(&message.0, &signature.0).is_ok()
}

fn agree(curve: String, private: Bytes, public: Bytes) -> Option<Bytes> {
    match curve.as_str() {
        "X25519" => {
            let secret = x25519_dalek::StaticSecret::from(<[u8; 32]>::try_from(private.0).ok()?);
            let public = x25519_dalek::PublicKey::from(<[u8; 32]>::try_from(public.0).ok()?);
            let shared = secret.diffie_hellman(&public);
            // A point of small order makes a predictable secret.
            shared.was_contributory().then(|| Bytes(shared.to_bytes().to_vec()))
        }
        name => with_curve!(name, curve => {
            let public = curve::PublicKey::from_sec1_bytes(&public.0).ok()?;
            let shared = curve::SecretKey::from_slice(&private.0).ok()?.diffie_hellman(&public);
            Some(Bytes(shared.raw_secret_bytes().to_vec()))
        }),
    }
}

/// Adds the functions of this file, which return undefined for an invalid key.
pub(super) fn add_exports(exports: &Object<'_>) -> Result<()> {
    let ctx = exports.ctx();
    exports.set("curveGenerate", Function::new(ctx.clone(), generate)?)?;
    exports.set("curvePublicKey", Function::new(ctx.clone(), public_key)?)?;
    exports.set("curvePoint", Function::new(ctx.clone(), convert_point)?)?;
    exports.set("curveSign", Function::new(ctx.clone(), sign_digest)?)?;
    exports.set("curveVerify", Function::new(ctx.clone(), verify_digest)?)?;
    exports.set("ed25519Sign", Function::new(ctx.clone(), sign_message)?)?;
    exports.set("ed25519Verify", Function::new(ctx.clone(), verify_message)?)?;
    exports.set("curveAgree", Function::new(ctx.clone(), agree)?)
}
