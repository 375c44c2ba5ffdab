//! Which failures another attempt may mend, as long as nobody has seen anything of the answer.

use crate::provider::{ProviderError, ProviderErrorKind};

/// Whether an error is worth another attempt, by its kind and status.
pub(super) fn is_repeatable(error: &ProviderError) -> bool {
    match error.kind {
        ProviderErrorKind::RateLimit { .. }
        | ProviderErrorKind::Server
        | ProviderErrorKind::Connection
        | ProviderErrorKind::Timeout => true,
        // The provider took the request and then failed without a reason that we know; most such failures pass.
        ProviderErrorKind::Stream => true,
        // 408 is a time limit of the server's, 409 a lock that could not be had in time.
        ProviderErrorKind::BadRequest => matches!(error.status, Some(408 | 409)),
        // The same request would be wrong again.
        ProviderErrorKind::Configuration
        | ProviderErrorKind::Authentication
        | ProviderErrorKind::Billing
        | ProviderErrorKind::ContextLength
        | ProviderErrorKind::ContentFilter
        | ProviderErrorKind::Protocol
        | ProviderErrorKind::Replay => false,
    }
}
