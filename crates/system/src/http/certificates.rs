//! TLS with the platform's certificate authorities and those of files named by variables.

use std::{path::Path, sync::Arc};

use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme,
    client::{
        WebPkiServerVerifier,
        danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
        verify_server_name,
    },
    crypto::CryptoProvider,
    pki_types::{CertificateDer, ServerName, UnixTime, pem::PemObject},
    server::ParsedCertificate,
};

use super::network::Network;

/// The platform's list of authorities, where it is one file. Read only if a variable has replaced it for the loader.
#[cfg(all(unix, not(target_vendor = "apple")))]
const PLATFORM_FILES: [&str; 5] = [
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
];
#[cfg(not(all(unix, not(target_vendor = "apple"))))]
const PLATFORM_FILES: [&str; 0] = [];

/// The TLS configuration, and warnings about files named by variables. An invalid file is skipped, as most connections work
/// without it.
pub fn tls(network: &Network) -> Result<(ClientConfig, Vec<String>), Error> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let (mut extra, mut problems) = (Vec::new(), Vec::new());
    let files = network.certificate_files();
    for (variable, path) in &files {
        match read(path) {
            Ok(certificates) => extra.extend(certificates),
            Err(problem) => {
                let path = path.display();
                problems.push(format!("{variable} names {path}, {problem}; its certificates are not used"));
            }
        }
    }
    let mut roots = extra.clone();
    if !files.is_empty() {
        let bundle = PLATFORM_FILES.iter().find_map(|path| read(Path::new(path)).ok());
        roots.extend(bundle.unwrap_or_default());
    }
    let verifier = Verifier { platform: platform(roots, &provider)?, extra };
    let mut config = verified_by(verifier, provider)?;
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok((config, problems))
}

pub fn tls_trusting(own: Vec<CertificateDer<'static>>) -> Result<ClientConfig, Error> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut roots = RootCertStore::empty();
    for certificate in &own {
        roots.add(certificate.clone())?;
    }
    let platform = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider.clone())
        .build()
        .map_err(|error| Error::General(error.to_string()))?;
    verified_by(Verifier { platform, extra: own }, provider)
}

fn verified_by(verifier: Verifier, provider: Arc<CryptoProvider>) -> Result<ClientConfig, Error> {
    Ok(ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier))
        .with_no_client_auth())
}

/// Why a file adds no certificates, as a relative clause.
#[derive(Debug, thiserror::Error)]
enum InvalidFile {
    #[error("which cannot be read ({0})")]
    Read(#[from] std::io::Error),
    #[error("which holds no certificate in PEM form")]
    NoCertificate,
    #[error("whose certificates cannot be used")]
    Unusable,
}

/// The certificates of a PEM file that can serve as authorities.
fn read(path: &Path) -> Result<Vec<CertificateDer<'static>>, InvalidFile> {
    let text = crate::user_file::read(path, crate::user_file::MAX_SETTINGS)?;
    let all: Vec<_> = CertificateDer::pem_slice_iter(&text).filter_map(Result::ok).collect();
    if all.is_empty() {
        return Err(InvalidFile::NoCertificate);
    }
    // Old bundles contain some certificates that cannot be parsed any more; they must not spoil the others.
    let usable: Vec<_> =
        all.into_iter().filter(|certificate| RootCertStore::empty().add(certificate.clone()).is_ok()).collect();
    if usable.is_empty() { Err(InvalidFile::Unusable) } else { Ok(usable) }
}

/// The verifier of the platform, which also trusts `extra`.
fn platform(
    extra: Vec<CertificateDer<'static>>,
    provider: &Arc<CryptoProvider>,
) -> Result<Arc<dyn ServerCertVerifier>, Error> {
    match rustls_platform_verifier::Verifier::new_with_extra_roots(extra, provider.clone()) {
        Ok(verifier) => Ok(Arc::new(verifier)),
        // A machine without any authorities, such as a bare container, can still reach servers without TLS; those with TLS are
        // refused one by one, with advice.
        Err(_) => Ok(Arc::new(RefuseAll(provider.clone()))),
    }
}

#[derive(Debug)]
struct RefuseAll(Arc<CryptoProvider>);

impl ServerCertVerifier for RefuseAll {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        Err(CertificateError::UnknownIssuer.into())
    }

    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Err(CertificateError::UnknownIssuer.into())
    }

    fn verify_tls13_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Err(CertificateError::UnknownIssuer.into())
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}

/// The platform's verifier with one exception that OpenSSL also makes.
#[derive(Debug)]
struct Verifier {
    platform: Arc<dyn ServerCertVerifier>,
    /// The certificates of the files.
    extra: Vec<CertificateDer<'static>>,
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        server: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let result = self.platform.verify_server_cert(server, intermediates, name, ocsp_response, now);
        match result {
            // A self-signed certificate of `openssl req -x509` claims to be an authority. It is trusted if a file of the user contains
            // exactly this certificate; its dates were checked before this error.
            Err(Error::InvalidCertificate(CertificateError::Other(other)))
                if other.to_string().contains("CaUsedAsEndEntity")
                    && self.extra.iter().any(|known| known == server) =>
            {
                verify_server_name(&ParsedCertificate::try_from(server)?, name)?;
                Ok(ServerCertVerified::assertion())
            }
            result => result,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.platform.verify_tls12_signature(message, certificate, signature)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.platform.verify_tls13_signature(message, certificate, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.platform.supported_verify_schemes()
    }
}
