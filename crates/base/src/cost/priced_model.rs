//! What determines the price of a model's answer.

use super::own_prices::OwnPrices;

#[derive(Clone, Copy, Debug, Default)]
pub struct PricedModel<'a> {
    pub provider: &'a str,
    pub model_id: &'a str,
    /// The model that answered according to the provider, which determines the price of a deployment with its own name.
    pub answered_by: Option<&'a str>,
    /// The address of requests, which identifies the service of a custom provider.
    pub base_url: Option<&'a str>,
    /// A mock, or a compatible server on this machine.
    pub is_local: bool,
    /// The service tier of the answer, in the provider's word; without one it is the standard tier.
    pub tier: Option<&'a str>,
    /// The prices of the prompt's own file if another file runs it; the prices of the run come first.
    pub file_prices: Option<&'a OwnPrices>,
}
