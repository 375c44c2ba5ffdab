//! Prices of requests and the limits of a run.

mod archive;
mod budget;
mod duration;
mod limits;
mod listing;
mod own_prices;
mod price_entry;
mod price_table;
mod priced_model;
mod prices;
mod rates;
mod run_usage;
mod similar_model;

pub use budget::{
    Allowance, BatchStage, BatchedRequest, Budget, Estimate, FIRST_REQUESTS, LimitReached, Outlook, RequestId,
    tokens_of,
};
pub use duration::parse_duration;
pub use limits::{DEFAULT_PARALLEL, InvalidLimit, LimitKind, Limits, ParseLimitError};
pub use listing::{ListedModel, PriceSource, listed_models, price_source};
pub use own_prices::{InvalidPrices, OwnPrices, PRICES_VARIABLE};
pub use price_entry::{BatchPrice, PriceEntry, TokenPrices};
pub use priced_model::PricedModel;
pub use prices::Prices;
pub use rates::{Rates, dollars};
pub use run_usage::RunUsage;
pub use similar_model::similar_model;
