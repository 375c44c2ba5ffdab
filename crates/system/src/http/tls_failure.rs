//! Failures of TLS, with the codes of Node.

use std::borrow::Cow;

use rustls::{CertificateError, Error};

/// Node's code and message for a failure of TLS.
pub fn tls_failure(error: &Error) -> (&'static str, Cow<'static, str>) {
    match error {
        Error::InvalidCertificate(CertificateError::UnknownIssuer) => {
            ("UNABLE_TO_VERIFY_LEAF_SIGNATURE", "unable to verify the first certificate".into())
        }
        Error::InvalidCertificate(CertificateError::Expired | CertificateError::ExpiredContext { .. }) => {
            ("CERT_HAS_EXPIRED", "certificate has expired".into())
        }
        Error::InvalidCertificate(
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
        ) => ("ERR_TLS_CERT_ALTNAME_INVALID", error.to_string().into()),
        // Certificates of `openssl req -x509` claim to be an authority.
        Error::InvalidCertificate(CertificateError::Other(other))
            if other.to_string().contains("CaUsedAsEndEntity") =>
        {
            ("DEPTH_ZERO_SELF_SIGNED_CERT", "self-signed certificate".into())
        }
        _ => ("ERR_SSL_HANDSHAKE_FAILURE", error.to_string().into()),
    }
}
