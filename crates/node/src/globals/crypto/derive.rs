//! Key derivation: PBKDF2, HKDF, scrypt.

use hkdf::GenericHkdf;
use rquickjs::{Object, Result};

use super::super::bytes::Bytes;
use super::digests::with_digest;
use super::jobs::{JobResult, export_job};

fn pbkdf2((hash, password, salt, rounds, length): (String, Bytes, Bytes, u32, usize)) -> JobResult<Bytes> {
    let mut key = vec![0; length];
    let derived = with_digest!(hash.as_str(), _D, Keyed => pbkdf2::pbkdf2::<Keyed>(&password.0, &salt.0, rounds, &mut key).ok(), else None);
    derived.map(|()| Bytes(key)).ok_or("no such hash")
}

fn hkdf((hash, key, salt, info, length): (String, Bytes, Bytes, Bytes, usize)) -> JobResult<Bytes> {
    let mut derived = vec![0; length];
    let outcome = with_digest!(hash.as_str(), _D, Keyed => {
        GenericHkdf::<Keyed>::new(Some(&salt.0), &key.0).expand(&info.0, &mut derived).map_err(|_| "too long")
    }, else Err("no such hash"));
    outcome.map(|()| Bytes(derived))
}

fn scrypt((password, salt, cost, block, parallel, length): (Bytes, Bytes, u64, u32, u32, usize)) -> JobResult<Bytes> {
    const WRONG: &str = "wrong parameters";
    let mut key = vec![0; length];
    if length == 0 {
        return Ok(Bytes(key));
    }
    let exponent = u8::try_from(cost.ilog2()).map_err(|_| WRONG)?;
    let parameters = scrypt::Params::new(exponent, block, parallel).map_err(|_| WRONG)?;
    scrypt::scrypt(&password.0, &salt.0, &parameters, &mut key).map_err(|_| WRONG)?;
    Ok(Bytes(key))
}

pub(super) fn add_exports(exports: &Object<'_>) -> Result<()> {
    export_job(exports, "pbkdf2", pbkdf2)?;
    export_job(exports, "hkdf", hkdf)?;
    export_job(exports, "scrypt", scrypt)
}
