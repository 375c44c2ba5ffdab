//! The client of a Restate server: runs of prompt files that `lmthing worker` serves are submitted there, their results are
//! collected, and calls that wait for approval are decided.
//!
//! Owns: the requests and answers of Restate's ingress and admin API, trying again while the server is away, words for what goes
//! wrong. Must not know: what a result says, who shows it, prompt files.
//!
//! - `address` – where the server is
//! - `client` – one request with its answer, and trying again
//! - `ingress` – submitting, results, decisions
//! - `admin` – what waits, how a run is doing
//! - `error` – what went wrong, in words

mod address;
mod admin;
mod client;
mod error;
mod ingress;

pub(crate) use address::{Address, read_address};
pub(crate) use admin::{Admin, Waiting};
pub(crate) use error::RemoteError;
pub(crate) use ingress::{Ended, Remote};

/// The variable with the token that the server asks for.
pub(crate) const TOKEN_VARIABLE: &str = "RESTATE_AUTH_TOKEN";

/// The variable with the address of the ingress, for `lmthing approve`.
pub(crate) const INGRESS_VARIABLE: &str = "RESTATE_INGRESS_URL";
