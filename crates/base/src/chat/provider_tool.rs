//! Tools that providers run themselves (docs/reference/provider-tools.md).

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A tool that the provider runs, or, where the provider has none, this program by the tool's function `else`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ProviderTool {
    #[serde(flatten)]
    pub kind: ProviderToolKind,
    /// Whether the tool can be sent as an ordinary one, which runs `else`, to a provider that has none. Without it such a
    /// model is refused.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub has_else: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ProviderToolKind {
    /// `defWebSearch`: each wire format knows how its provider calls this.
    WebSearch(WebSearch),
    /// `defProviderTool`: the JSON to send, by provider.
    ByProvider(Map<String, Value>),
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct WebSearch {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub allowed_domains: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub blocked_domains: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_uses: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<SearchLocation>,
}

impl WebSearch {
    /// The names of the options that are set, except `else`.
    pub fn set_options(&self) -> impl Iterator<Item = &'static str> + use<> {
        let WebSearch { allowed_domains, blocked_domains, max_uses, location } = self;
        let options = [
            ("allowedDomains", !allowed_domains.is_empty()),
            ("blockedDomains", !blocked_domains.is_empty()),
            ("maxUses", max_uses.is_some()),
            ("location", location.is_some()),
        ];
        options.into_iter().filter_map(|(name, is_set)| is_set.then_some(name))
    }
}

/// Where the user is, approximately.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SearchLocation {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub city: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region: Option<String>,
    /// Two letters, as in ISO 3166-1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub country: Option<String>,
    /// An IANA name, such as `Europe/Rome`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timezone: Option<String>,
}
