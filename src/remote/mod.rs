//! Client of a Restate server: submits runs to the services of `lmthing worker`, fetches results and decides on waiting
//! calls.

mod address;
mod admin;
mod client;
mod error;
mod ingress;

pub(crate) use address::{Address, read_address};
pub(crate) use admin::{AdminClient, PendingCall};
pub(crate) use error::RemoteError;
pub(crate) use ingress::{IngressClient, InvocationResult};

/// Environment variable with the bearer token of the server.
pub(crate) const TOKEN_VARIABLE: &str = "RESTATE_AUTH_TOKEN";

/// Environment variable with the address of the ingress, for `lmthing approve`.
pub(crate) const INGRESS_VARIABLE: &str = "RESTATE_INGRESS_URL";
