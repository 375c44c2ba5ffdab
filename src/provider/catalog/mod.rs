//! Which providers there are, and everything about each that is not its wire format.
//!
//! Owns: one row for each built-in provider (`built_in`), read by model strings, by the functions scripts make models with
//! and by `lmthing models`; custom providers from the environment (`custom`); what was meant by a string that names none
//! (`unknown`). Must not know: JSON of any provider.

mod built_in;
mod connect;
mod custom;
mod row;
mod services;
#[cfg(test)]
mod tests;
mod unknown;

pub(super) use built_in::built_in;
pub(crate) use built_in::{BUILT_IN, COMPATIBLE};
pub(super) use custom::{Custom, custom_providers, shell_name};
pub(crate) use row::Provider;
pub(super) use row::{Connection, Setup};
pub(super) use services::Service;
pub(super) use unknown::{meant_by, unknown_provider};

/// The row of this name: a built-in provider's, or that of OpenAI-compatible servers.
pub(super) fn find(name: &str) -> Option<&'static Provider> {
    built_in(name).or_else(|| (name == COMPATIBLE.name).then_some(&COMPATIBLE))
}
