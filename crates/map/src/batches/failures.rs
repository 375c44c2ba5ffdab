//! What follows when an act on a batch has failed.

use super::{flight::Flight, shipments::Stage};
use lmthing_providers::{ProviderError, ProviderErrorKind};

/// How often an act is tried, each time as often as the client does, if the server has never answered.
const MAX_FAILURES: u32 = 3;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sequel {
    /// The act is tried again after a wait.
    Again,
    /// The requests of the batch have failed.
    FailRequests,
    /// The provider does not have the batch any more.
    Gone,
    /// The command collects the answers that are there, and ends with the error.
    End,
    /// A file stays at the provider, which costs nothing.
    LeaveFile,
}

/// What an error says about an act.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cause {
    /// A connection or a server that fails for a while.
    Passing,
    NotFound,
    /// The provider does not take what was sent.
    Refused,
    /// Keys, accounts and settings.
    Other,
}

impl Cause {
    fn of(error: &ProviderError) -> Self {
        use ProviderErrorKind::{Authentication, Billing, Connection, Protocol, RateLimit, Server, Timeout};
        match (&error.kind, error.status) {
            (Connection | Server | Timeout | Protocol | RateLimit { .. }, _) => Cause::Passing,
            (Authentication | Billing, _) => Cause::Other,
            (_, Some(404 | 410)) => Cause::NotFound,
            (_, Some(400 | 413 | 422)) => Cause::Refused,
            _ => Cause::Other,
        }
    }
}

/// A batch may take a day, so what passes is no reason to end once the service has worked. What is new may not be known
/// everywhere yet, so that it is missing counts at the third time only.
pub(super) fn sequel(flight: &Flight, error: &ProviderError, has_worked: bool) -> Sequel {
    let is_repeated = flight.failures >= MAX_FAILURES;
    match (flight.shipment.stage, Cause::of(error)) {
        (Stage::Collected, Cause::Passing) if !is_repeated => Sequel::Again,
        (Stage::Collected, _) => Sequel::LeaveFile,
        (_, Cause::Passing) if has_worked || !is_repeated => Sequel::Again,
        (Stage::Created | Stage::Ended, Cause::NotFound) if !is_repeated => Sequel::Again,
        (Stage::Created | Stage::Ended, Cause::NotFound) => Sequel::Gone,
        (Stage::Uploading | Stage::Creating, _) if flight.is_lookup => Sequel::End,
        (Stage::Uploading | Stage::Creating, Cause::Refused) => Sequel::FailRequests,
        // No such model, or no batches of it.
        (Stage::Creating, Cause::NotFound) => Sequel::FailRequests,
        _ => Sequel::End,
    }
}

/// Whether the act was surely not done.
pub(super) fn is_refusal(error: &ProviderError) -> bool {
    Cause::of(error) != Cause::Passing
}
