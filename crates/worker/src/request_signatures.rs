//! Verifies the signatures of Restate's requests with `ring`, which is linked anyway. The SDK's default would add a
//! second crypto library.

use jsonwebtoken::{
    Algorithm, AlgorithmFamily, DecodingKey,
    crypto::{CryptoProvider, JwkUtils, JwtVerifier},
    errors::{Error, ErrorKind},
    signature::{self, Verifier},
};
use restate_sdk::endpoint::Endpoint;
use ring::signature::{ED25519, UnparsedPublicKey};

/// Restate signs with Ed25519 only.
static PROVIDER: CryptoProvider = CryptoProvider {
    signer_factory: |_, _| Err(Error::from(ErrorKind::InvalidAlgorithm)),
    verifier_factory: |algorithm, key| match (algorithm, key.family()) {
        (Algorithm::EdDSA, AlgorithmFamily::Ed) => Ok(Box::new(Ed25519::new(key))),
        _ => Err(Error::from(ErrorKind::InvalidAlgorithm)),
    },
    jwk_utils: JwkUtils::new_unimplemented(),
};

pub(super) fn install() {
    // Fails if it is installed already.
    let _ = PROVIDER.install_default();
}

/// A text is no public key in Restate's format, and why.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
#[error("{0}")]
pub struct InvalidKey(String);

/// Checks a public key in Restate's format.
pub fn check_key(key: &str) -> Result<(), InvalidKey> {
    Endpoint::builder().identity_key(key).map(drop).map_err(|error| InvalidKey(error.to_string()))
}

struct Ed25519(UnparsedPublicKey<Vec<u8>>);

impl Ed25519 {
    fn new(key: &DecodingKey) -> Self {
        Ed25519(UnparsedPublicKey::new(&ED25519, key.as_bytes().to_vec()))
    }
}

impl Verifier<Vec<u8>> for Ed25519 {
    fn verify(&self, message: &[u8], signature: &Vec<u8>) -> Result<(), signature::Error> {
        self.0.verify(message, signature).map_err(|_| signature::Error::new())
    }
}

impl JwtVerifier for Ed25519 {
    fn algorithm(&self) -> Algorithm {
        Algorithm::EdDSA
    }
}
