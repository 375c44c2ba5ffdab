//! Dispatch on the names of hash functions.

/// Evaluates the first expression with `$Digest` as the type of the hash function `$name` and `$Keyed` as its HMAC; the
/// second for an unknown name.
macro_rules! with_digest {
    ($name:expr, $Digest:ident, $Keyed:ident => $then:expr, else $otherwise:expr) => {
        with_digest!(@table $name, $Digest, $Keyed, $then, $otherwise, {
            "md5" => md5::Md5, hmac::Hmac;
            "sha1" => sha1::Sha1, hmac::Hmac;
            "sha224" => sha2::Sha224, hmac::Hmac;
            "sha256" => sha2::Sha256, hmac::Hmac;
            "sha384" => sha2::Sha384, hmac::Hmac;
            "sha512" => sha2::Sha512, hmac::Hmac;
            "sha512-224" => sha2::Sha512_224, hmac::Hmac;
            "sha512-256" => sha2::Sha512_256, hmac::Hmac;
            "sha3-224" => sha3::Sha3_224, hmac::SimpleHmac;
            "sha3-256" => sha3::Sha3_256, hmac::SimpleHmac;
            "sha3-384" => sha3::Sha3_384, hmac::SimpleHmac;
            "sha3-512" => sha3::Sha3_512, hmac::SimpleHmac;
            "ripemd160" => ripemd::Ripemd160, hmac::Hmac;
            "blake2b512" => blake2::Blake2b512, hmac::SimpleHmac;
            "blake2s256" => blake2::Blake2s256, hmac::SimpleHmac;
        })
    };
    // Each hash function instantiates RSA's padding code once more, so only those in common use are here.
    (rsa $name:expr, $Digest:ident => $then:expr) => {
        with_digest!(@table $name, $Digest, _Keyed, $then, None, {
            "sha1" => sha1::Sha1, hmac::Hmac;
            "sha224" => sha2::Sha224, hmac::Hmac;
            "sha256" => sha2::Sha256, hmac::Hmac;
            "sha384" => sha2::Sha384, hmac::Hmac;
            "sha512" => sha2::Sha512, hmac::Hmac;
        })
    };
    (@table $name:expr, $Digest:ident, $Keyed:ident, $then:expr, $otherwise:expr,
        { $($known:literal => $digest:ty, $($hmac:ident)::+;)* }) => {
        match $name {
            $($known => {
                #[allow(dead_code, reason = "some uses need the digest, others the HMAC")]
                type $Digest = $digest;
                #[allow(dead_code, reason = "some uses need the digest, others the HMAC")]
                type $Keyed = $($hmac)::+<$digest>;
                $then
            })*
            _ => $otherwise,
        }
    };
}

pub(super) use with_digest;
