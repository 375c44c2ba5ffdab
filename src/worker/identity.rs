//! The signatures of signed requests. The SDK checks them with a crate that leaves the arithmetic to others; without this it would
//! bring a second library for it. Must not know what is signed.

use jsonwebtoken::{
    Algorithm, AlgorithmFamily, DecodingKey,
    crypto::{CryptoProvider, JwkUtils, JwtVerifier},
    errors::{Error, ErrorKind},
    signature::{self, Verifier},
};
use restate_sdk::endpoint::Endpoint;
use ring::signature::{ED25519, UnparsedPublicKey};

/// Ed25519 and nothing else, as Restate signs.
static PROVIDER: CryptoProvider = CryptoProvider {
    signer_factory: |_, _| Err(Error::from(ErrorKind::InvalidAlgorithm)),
    verifier_factory: |algorithm, key| match (algorithm, key.family()) {
        (Algorithm::EdDSA, AlgorithmFamily::Ed) => Ok(Box::new(Ed25519::new(key))),
        _ => Err(Error::from(ErrorKind::InvalidAlgorithm)),
    },
    jwk_utils: JwkUtils::new_unimplemented(),
};

/// Lends the arithmetic, from now on.
pub(super) fn install() {
    // An error means that it is there already.
    let _ = PROVIDER.install_default();
}

/// Whether it is a public key as Restate writes them.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn check_key(key: &str) -> Result<(), String> {
    Endpoint::builder().identity_key(key).map(drop).map_err(|error| error.to_string())
}

/// A public key.
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
