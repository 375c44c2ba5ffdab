//! Client of a Restate server: submits runs to the services of `lmthing worker`, fetches results and decides on waiting
//! calls.

mod address;
mod admin;
mod client;
mod error;
mod ingress;

pub use address::{Address, ParseAddressError, read_address};
pub use admin::{AdminClient, PendingCall};
pub use error::RemoteError;
pub use ingress::{IngressClient, InvocationResult};

/// Environment variable with the bearer token of the server.
pub const TOKEN_VARIABLE: &str = "RESTATE_AUTH_TOKEN";

/// Environment variable with the address of the ingress, for `lmthing approve`.
pub const INGRESS_VARIABLE: &str = "RESTATE_INGRESS_URL";
