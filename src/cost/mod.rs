//! What requests cost and how much of a run is left: prices and limits.
//!
//! Owns: the price table with the user's own prices over it, and the arithmetic of limits. (What a run came to in the end is
//! added up from its events, in `event`.)
//! Must not know: wire formats, sessions, JavaScript, the terminal. Nothing in here waits or ends a run: whoever sends requests
//! asks a [`Budget`] first, tells it what came, and does what it says.

mod amount;
mod archive;
mod budget;
mod limits;
mod listing;
mod near;
mod own;
mod priced_model;
mod prices;
mod rates;
mod span;
mod table;
mod used;

pub use amount::dollars;
pub use budget::{Allowance, Budget, Estimate, Reached, RequestId, tokens_of};
pub use limits::{DEFAULT_PARALLEL, Limits, WrongLimit};
pub use listing::{Listed, Source, listed, source};
pub use near::near_model;
pub use own::{OwnPrices, PRICES_VARIABLE, WrongPrices};
pub use priced_model::PricedModel;
pub use prices::Prices;
pub use rates::Rates;
pub use span::parse_span;
pub use used::Used;
