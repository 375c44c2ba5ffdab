//! What is known of model strings: prices, and whether their keys are there. Never contains a value of a variable.

use std::{collections::BTreeMap, rc::Rc};

use lmthing_base::{
    chat::Usage,
    cost::{ListedModel, OwnPrices, PRICES_VARIABLE, PricedModel, Prices, dollars},
};
use lmthing_providers::{ModelList, ProviderContext, ProviderInfo, list_models, model_name};
use lmthing_system::user_file::{self, MAX_SETTINGS};

pub(crate) struct Models {
    context: ProviderContext,
    list: ModelList,
    prices: Prices,
}

/// A model string that can be completed, with its price.
pub(crate) struct Suggestion {
    pub(crate) model: String,
    pub(crate) about: String,
    /// Whether it can be used now.
    pub(crate) is_configured: bool,
}

impl Models {
    pub(crate) fn new(variables: Vec<(String, String)>) -> Self {
        let prices = variables.iter().find(|(name, _)| name == PRICES_VARIABLE).map(|(_, value)| value.clone());
        // A faulty variable is reported when a file runs.
        let read = |path: &str| user_file::read_text(path.as_ref(), MAX_SETTINGS);
        let own = OwnPrices::from_variable(&prices.unwrap_or_default(), read).unwrap_or_default();
        let variables: BTreeMap<String, String> = variables.into_iter().collect();
        let context = ProviderContext::new(Rc::new(variables));
        Models { list: list_models(&context), context, prices: Prices::new(own) }
    }

    /// Whether the text begins with the name of a provider, as model strings do.
    pub(crate) fn has_provider(&self, text: &str) -> bool {
        text.split_once(':').is_some_and(|(provider, _)| self.provider(provider).is_some())
    }

    fn provider(&self, name: &str) -> Option<&ProviderInfo> {
        self.list.providers.iter().find(|provider| provider.name == name)
    }

    /// What a model string means, as Markdown.
    pub(crate) fn describe(&self, text: &str) -> String {
        if text == "mock" {
            return "**mock** answers with the items of `export const mock`. It costs nothing and needs no key."
                .to_owned();
        }
        let model = model_name(text, &self.context);
        let alias = if model == text { String::new() } else { format!("`{text}` is an alias\n\n") };
        let Some((name, id)) = model.split_once(':') else {
            return format!(
                "`{text}` is no model: write `provider:model`, or set an alias LM_MODEL_{}",
                text.to_uppercase()
            );
        };
        let key = self.provider(name).map_or_else(|| format!("{name} is no provider that is known"), of_key);
        format!("{alias}**{model}**\n\n{}\n\n{key}", self.price(name, id))
    }

    fn price(&self, provider: &str, id: &str) -> String {
        const TOKENS: u64 = 1000;
        let model = PricedModel { provider, model_id: id, ..PricedModel::default() };
        #[allow(clippy::cast_precision_loss)]
        let of_million = |input, output| {
            let cost = self.prices.cost(&model, &Usage::new(Some(input), Some(output)))?;
            Some(dollars(cost * 1e6 / TOKENS as f64))
        };
        let is_own_server = || self.provider(provider).is_some_and(|provider| provider.needs_no_key);
        match (of_million(TOKENS, 0), of_million(0, TOKENS)) {
            (Some(input), Some(output)) => format!("{input} input, {output} output per million tokens"),
            _ if is_own_server() => "its price is that of your own server".to_owned(),
            _ => "its price is not known".to_owned(),
        }
    }

    /// The aliases, `mock`, and the models of the table whose provider is known.
    pub(crate) fn suggestions(&self, table: &[ListedModel]) -> Vec<Suggestion> {
        let aliases = self.list.aliases.iter().filter_map(|alias| {
            let target = alias.target.as_ref().ok()?;
            let (provider, id) = target.split_once(':')?;
            let about = format!("{target}: {}", self.price(provider, id));
            Some(Suggestion { model: alias.name.clone(), about, is_configured: true })
        });
        let mock = Suggestion {
            model: "mock".to_owned(),
            about: "answers with the items of export const mock, free".to_owned(),
            is_configured: true,
        };
        let of_table = table.iter().filter_map(|model| {
            let provider = self.provider(&model.provider)?;
            Some(Suggestion {
                model: format!("{}:{}", model.provider, model.model_id),
                about: self.price(&model.provider, &model.model_id),
                is_configured: provider.configured,
            })
        });
        aliases.chain([mock]).chain(of_table).collect()
    }
}

fn of_key(provider: &ProviderInfo) -> String {
    let names = |is_wanted: fn(bool) -> bool| {
        let wanted = provider.variables.iter().filter(|variable| !variable.optional && is_wanted(variable.set));
        wanted.map(|variable| format!("`{}`", variable.name)).collect::<Vec<_>>().join(", ")
    };
    match provider.configured {
        true if provider.needs_no_key => "no key is needed".to_owned(),
        true => match names(|is_set| is_set) {
            set if set.is_empty() => "the key is there".to_owned(),
            set => format!("the key is there: {set} is set"),
        },
        false => {
            let place = provider.get_key_at.map(|place| format!(" (keys: {place})")).unwrap_or_default();
            format!("the key is missing: set {}{place}", names(|is_set| !is_set))
        }
    }
}
