//! Servers that speak TLS with certificates made here, and a server that speaks no known protocol.

use std::sync::Arc;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair, date_time_ymd};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
};
use tokio_rustls::{
    TlsAcceptor,
    rustls::{
        ServerConfig,
        crypto::ring,
        pki_types::{CertificateDer, PrivateKeyDer},
    },
};

/// A certificate with its key.
pub(crate) struct Identity {
    certificate: rcgen::Certificate,
    key: KeyPair,
}

impl Identity {
    pub(crate) fn pem(&self) -> String {
        self.certificate.pem()
    }
}

/// A certificate authority that no platform trusts.
pub(crate) struct Authority(CertifiedIssuer<'static, KeyPair>);

pub(crate) fn authority() -> Authority {
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    Authority(CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap())
}

impl Authority {
    pub(crate) fn pem(&self) -> String {
        self.0.pem()
    }

    /// A server certificate for these names, possibly expired.
    pub(crate) fn server(&self, names: &[&str], expired: bool) -> Identity {
        let mut params = CertificateParams::new(texts(names)).unwrap();
        if expired {
            (params.not_before, params.not_after) = (date_time_ymd(2000, 1, 1), date_time_ymd(2001, 1, 1));
        }
        let key = KeyPair::generate().unwrap();
        Identity { certificate: params.signed_by(&key, &self.0).unwrap(), key }
    }
}

/// Like `openssl req -x509`: a server certificate that is marked as an authority.
pub(crate) fn self_signed(names: &[&str]) -> Identity {
    let mut params = CertificateParams::new(texts(names)).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let key = KeyPair::generate().unwrap();
    Identity { certificate: params.self_signed(&key).unwrap(), key }
}

fn texts(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// Answers every request with this event stream; returns the port.
pub(crate) async fn serve(identity: &Identity, body: &'static [u8]) -> u16 {
    let chain = vec![CertificateDer::from(identity.certificate.der().to_vec())];
    let key = PrivateKeyDer::try_from(identity.key.serialize_der()).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let acceptor = acceptor.clone();
            tokio::spawn(async move {
                let Ok(mut stream) = acceptor.accept(stream).await else { return };
                let mut request = Vec::new();
                while !is_whole(&request) {
                    match stream.read_buf(&mut request).await {
                        Ok(read) if read > 0 => {}
                        _ => return,
                    }
                }
                let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
                let _ = stream.write_all(&[head.as_bytes(), body].concat()).await;
                let _ = stream.shutdown().await;
            });
        }
    });
    port
}

/// Whether the request has arrived with its body.
fn is_whole(request: &[u8]) -> bool {
    let Some(head) = request.windows(4).position(|end| end == b"\r\n\r\n") else { return false };
    let text = String::from_utf8_lossy(&request[..head]).to_ascii_lowercase();
    let length = text.lines().find_map(|line| line.strip_prefix("content-length:")?.trim().parse().ok());
    request.len() >= head + 4 + length.unwrap_or(0_usize)
}

/// Answers anything with these bytes and closes the connection; returns the port.
pub(crate) async fn answer_anything(words: &'static [u8]) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            tokio::spawn(async move {
                let mut request = [0; 4096];
                let _ = stream.read(&mut request).await;
                let _ = stream.write_all(words).await;
            });
        }
    });
    port
}
