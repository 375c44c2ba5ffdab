//! The catalogue of providers: everything but their wire formats.

mod built_in;
mod connect;
mod custom;
mod row;
mod services;
#[cfg(test)]
mod tests;
mod unknown;

pub(super) use built_in::built_in;
pub use built_in::{BUILT_IN, COMPATIBLE};
pub(super) use custom::{CustomProvider, custom_providers, shell_name};
pub use row::Provider;
pub(super) use row::{Connection, Setup};
pub(super) use services::Service;
pub(super) use unknown::{suggestion_for_alias, unknown_provider};

pub(super) fn find(name: &str) -> Option<&'static Provider> {
    built_in(name).or_else(|| (name == COMPATIBLE.name).then_some(&COMPATIBLE))
}
