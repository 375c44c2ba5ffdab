//! What is known of a model whose price is asked.

use super::own::OwnPrices;

/// Which model is asked, as far as its price goes.
#[derive(Clone, Copy, Debug, Default)]
pub struct PricedModel<'a> {
    /// The provider's name in model strings.
    pub provider: &'a str,
    /// The model's id there.
    pub model_id: &'a str,
    /// The id of the model that says it answered: of a deployment with a name of its own it tells the price.
    pub answered_by: Option<&'a str>,
    /// Where requests go; tells which service a custom provider is.
    pub base_url: Option<&'a str>,
    /// A mock, or a compatible server on this machine.
    pub is_local: bool,
    /// The prices of the file whose prompt asks, when that is run by another; they come after those of the run.
    pub file_prices: Option<&'a OwnPrices>,
}
