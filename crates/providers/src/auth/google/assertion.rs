//! The signed JWT that a service account exchanges for a token.

use std::time::{SystemTime, UNIX_EPOCH};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use ring::{rand::SystemRandom, signature};
use rustls::pki_types::{PrivateKeyDer, pem::PemObject};
use serde_json::{Value, json};

use super::credentials::SCOPE;
use crate::auth::request::AuthFailure;

pub(super) const TOKEN_URL: &str = "https://oauth2.googleapis.com/token";

pub(super) fn assertion(email: &str, private_key: &str, now: SystemTime) -> Result<String, AuthFailure> {
    let issued = now.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let claims = json!({
        "iss": email,
        "scope": SCOPE,
        "aud": TOKEN_URL,
        "iat": issued,
        "exp": issued + 3_600,
    });
    // The signature covers the encoded header and claims.
    let encode = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let signed = format!("{}.{}", encode(&json!({ "alg": "RS256" })), encode(&claims));
    let key = key_pair(private_key)?;
    let mut bytes = vec![0; key.public().modulus_len()];
    key.sign(&signature::RSA_PKCS1_SHA256, &SystemRandom::new(), signed.as_bytes(), &mut bytes)
        .map_err(|_| AuthFailure::refused("The Google credentials' private_key could not sign."))?;
    Ok(format!("{signed}.{}", URL_SAFE_NO_PAD.encode(bytes)))
}

fn key_pair(pem: &str) -> Result<signature::RsaKeyPair, AuthFailure> {
    let unusable = || AuthFailure::refused("The Google credentials' private_key is not a usable RSA key in PEM form.");
    match PrivateKeyDer::from_pem_slice(pem.as_bytes()).map_err(|_| unusable())? {
        PrivateKeyDer::Pkcs8(der) => signature::RsaKeyPair::from_pkcs8(der.secret_pkcs8_der()).map_err(|_| unusable()),
        PrivateKeyDer::Pkcs1(der) => signature::RsaKeyPair::from_der(der.secret_pkcs1_der()).map_err(|_| unusable()),
        _ => Err(unusable()),
    }
}
