//! TLS configuration and handshakes of `node:tls` and `node:https`.

use std::sync::Arc;

use rquickjs::{Ctx, IntoJs, Object, Result, Value};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime, pem::PemObject};
use rustls::{ClientConfig, DigitallySignedStruct, Error, ServerConfig, SignatureScheme};
use tokio_rustls::{TlsAcceptor, TlsConnector, TlsStream};

use super::byte_stream::ByteStream;
use super::network_error::{NetError, NetResult};
use crate::globals::{Bytes, variable};
use lmthing_system::http::{Network, client_tls, tls_failure, tls_trusting};

/// What a handshake negotiated.
pub(super) struct TlsFacts {
    protocol: Option<&'static str>,
    application: Option<String>,
    /// The cipher's name in the standard.
    cipher: Option<String>,
    certificate: Option<Vec<u8>>,
}

impl<'js> IntoJs<'js> for TlsFacts {
    fn into_js(self, ctx: &Ctx<'js>) -> Result<Value<'js>> {
        let object = Object::new(ctx.clone())?;
        object.set("protocol", self.protocol)?;
        object.set("alpn", self.application)?;
        object.set("cipher", self.cipher)?;
        object.set("certificate", self.certificate.map(Bytes))?;
        Ok(object.into_value())
    }
}

fn facts<S>(stream: &TlsStream<S>) -> TlsFacts {
    let (_, connection) = stream.get_ref();
    TlsFacts {
        protocol: connection.protocol_version().map(|version| match version {
            rustls::ProtocolVersion::TLSv1_2 => "TLSv1.2",
            _ => "TLSv1.3",
        }),
        application: connection.alpn_protocol().map(|name| String::from_utf8_lossy(name).into_owned()),
        cipher: connection.negotiated_cipher_suite().map(|suite| format!("{:?}", suite.suite())),
        certificate: connection.peer_certificates().and_then(|all| all.first()).map(|first| first.to_vec()),
    }
}

/// Certificates from PEM texts.
fn certificates(texts: &[Bytes]) -> Vec<CertificateDer<'static>> {
    texts.iter().flat_map(|text| CertificateDer::pem_slice_iter(&text.0)).filter_map(std::result::Result::ok).collect()
}

fn private_key(text: &[u8]) -> NetResult<PrivateKeyDer<'static>> {
    PrivateKeyDer::from_pem_slice(text).map_err(|_| {
        NetError::with_message("ERR_OSSL_UNSUPPORTED", "the private key is not in a PEM form that can be read")
    })
}

fn provider() -> Arc<CryptoProvider> {
    Arc::new(rustls::crypto::ring::default_provider())
}

fn unusable(error: &Error) -> NetError {
    NetError::with_message("ERR_TLS", error.to_string())
}

/// `rejectUnauthorized: false`.
#[derive(Debug)]
struct AcceptAnyCertificate(Arc<CryptoProvider>);

impl ServerCertVerifier for AcceptAnyCertificate {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> std::result::Result<ServerCertVerified, Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, certificate, signed, &self.0.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, certificate, signed, &self.0.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}

/// Node's code and message for a failed handshake.
fn handshake_error(error: &std::io::Error) -> NetError {
    let Some(inner) = error.get_ref().and_then(|inner| inner.downcast_ref::<Error>()) else {
        return NetError::of_io(error, "read");
    };
    let (code, message) = tls_failure(inner);
    NetError::with_message(code, message)
}

pub(super) struct TlsClient {
    config: Arc<ClientConfig>,
    name: ServerName<'static>,
}

impl TlsClient {
    /// From `{servername, rejectUnauthorized, ca, cert, key, alpn}`; certificates and keys are bytes.
    pub(super) fn from_js<'js>(ctx: &Ctx<'js>, settings: &Object<'js>) -> Result<NetResult<Self>> {
        let name: String = settings.get("servername")?;
        let Ok(name) = ServerName::try_from(name.clone()) else {
            return Ok(Err(NetError::with_message(
                "ERR_INVALID_ARG_VALUE",
                format!("'{name}' is no name of a server"),
            )));
        };
        let own: Vec<Bytes> = settings.get::<_, Option<_>>("ca")?.unwrap_or_default();
        let rejects: bool = settings.get("rejectUnauthorized")?;
        let alpn: Vec<String> = settings.get::<_, Option<_>>("alpn")?.unwrap_or_default();
        let network = Network::new(|name| variable(ctx, name));
        Ok(client_config(&network, &own, rejects).map(|mut config| {
            config.alpn_protocols = alpn.into_iter().map(String::into_bytes).collect();
            Self { config: Arc::new(config), name }
        }))
    }

    pub(super) async fn connect<S: ByteStream>(self, stream: S) -> NetResult<(TlsStream<S>, TlsFacts)> {
        let connecting = TlsConnector::from(self.config).connect(self.name, stream);
        let stream = TlsStream::from(connecting.await.map_err(|error| handshake_error(&error))?);
        let facts = facts(&stream);
        Ok((stream, facts))
    }
}

fn client_config(network: &Network, own: &[Bytes], rejects: bool) -> NetResult<ClientConfig> {
    if rejects && own.is_empty() {
        return client_tls(network).map(|(config, _)| config).map_err(|error| unusable(&error));
    }
    if rejects {
        return tls_trusting(certificates(own)).map_err(|error| unusable(&error));
    }
    let builder = ClientConfig::builder_with_provider(provider()).with_safe_default_protocol_versions();
    let builder = builder.map_err(|error| unusable(&error))?.dangerous();
    Ok(builder.with_custom_certificate_verifier(Arc::new(AcceptAnyCertificate(provider()))).with_no_client_auth())
}

pub(super) struct TlsServer {
    config: Arc<ServerConfig>,
}

impl TlsServer {
    /// From `{cert, key, alpn}`; certificates and keys are bytes in PEM form.
    pub(super) fn from_js(settings: &Object<'_>) -> Result<NetResult<Self>> {
        let chain: Vec<Bytes> = settings.get::<_, Option<_>>("cert")?.unwrap_or_default();
        let key: Option<Bytes> = settings.get("key")?;
        let alpn: Vec<String> = settings.get::<_, Option<_>>("alpn")?.unwrap_or_default();
        Ok(server_config(&chain, key).map(|mut config| {
            config.alpn_protocols = alpn.into_iter().map(String::into_bytes).collect();
            Self { config: Arc::new(config) }
        }))
    }

    pub(super) async fn accept<S: ByteStream>(self, stream: S) -> NetResult<(TlsStream<S>, TlsFacts)> {
        let accepting = TlsAcceptor::from(self.config).accept(stream);
        let stream = TlsStream::from(accepting.await.map_err(|error| handshake_error(&error))?);
        let facts = facts(&stream);
        Ok((stream, facts))
    }
}

fn server_config(chain: &[Bytes], key: Option<Bytes>) -> NetResult<ServerConfig> {
    let key =
        key.ok_or_else(|| NetError::with_message("ERR_SSL_NO_SUITABLE_KEY", "a server of TLS needs `key` and `cert`"))?;
    let key = private_key(&key.0)?;
    ServerConfig::builder_with_provider(provider())
        .with_safe_default_protocol_versions()
        .and_then(|builder| builder.with_no_client_auth().with_single_cert(certificates(chain), key))
        .map_err(|error| unusable(&error))
}
