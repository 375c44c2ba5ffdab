//! The tools of a request for a model object of the AI SDK; tools of the provider have an id such as
//! `anthropic.web_search_20250305` (docs/reference/provider-tools.md).

use serde_json::{Map, Value, json};

use super::sdk_request::{SdkVersion, UNSUPPORTED};
use lmthing_base::chat::{CallWarning, ProviderTool, ProviderToolKind, SearchLocation, ToolSpec, WebSearch};

/// A tool of the provider that a model object cannot be asked for.
pub(super) struct Lacking(String);

impl Lacking {
    pub(super) fn message(self, provider: &str, model_id: &str) -> String {
        format!(
            "{}: the model object {provider}:{model_id} has no such tool that it can be asked for. Pass a function \
             `else`, which then runs in its place, or use another model.",
            self.0
        )
    }
}

/// The tools in the form of the interface. `provider` is the name that the model object has, such as `openai.responses`.
pub(super) fn tools(request_tools: &[ToolSpec], provider: &str, version: SdkVersion) -> Result<Vec<Value>, Lacking> {
    let tool = |spec: &ToolSpec| {
        let Some(of_provider) = &spec.provider_tool else { return Ok(function(spec)) };
        match named(of_provider, provider) {
            Some((id, args)) => {
                let kind = if version == SdkVersion::V2 { "provider-defined" } else { "provider" };
                Ok(json!({ "type": kind, "id": id, "name": spec.name, "args": args }))
            }
            None if of_provider.has_else => Ok(function(spec)),
            None => Err(Lacking(match of_provider.kind {
                ProviderToolKind::WebSearch(_) => "defWebSearch".to_owned(),
                ProviderToolKind::ByProvider(_) => format!("defProviderTool('{}')", spec.name),
            })),
        }
    };
    request_tools.iter().map(tool).collect()
}

/// The web search of a provider, as it stands in a request.
pub(super) struct Search {
    pub(super) name: String,
    /// Whether each search is a call in the answer.
    pub(super) has_calls: bool,
}

/// The provider's own search, if the model would search by it.
pub(super) fn search(tools: &[ToolSpec], provider: &str) -> Option<Search> {
    let (spec, _, vendor) = provided_search(tools, provider)?;
    Some(Search { name: spec.name.clone(), has_calls: !matches!(vendor.prefix, "google" | "groq") })
}

/// A warning for each option of `defWebSearch` that the provider's search does not have.
pub(super) fn search_warnings(tools: &[ToolSpec], provider: &str) -> Vec<CallWarning> {
    let Some((_, search, vendor)) = provided_search(tools, provider) else { return Vec::new() };
    let warning = |option: &str| {
        let details = format!("the web search of {} has no {option}; it was left out", vendor.names[0]);
        let setting = Some(format!("defWebSearch.{option}"));
        CallWarning { kind: UNSUPPORTED.to_owned(), setting, details: Some(details) }
    };
    search.set_options().filter(|option| vendor.lacks().contains(option)).map(warning).collect()
}

fn provided_search<'a>(tools: &'a [ToolSpec], provider: &'a str) -> Option<(&'a ToolSpec, &'a WebSearch, Vendor<'a>)> {
    let vendor = Vendor::of(provider)?;
    let (spec, search) = tools.iter().find_map(|spec| match &spec.provider_tool.as_ref()?.kind {
        ProviderToolKind::WebSearch(search) => Some((spec, search)),
        ProviderToolKind::ByProvider(_) => None,
    })?;
    vendor.search(search).map(|_| (spec, search, vendor))
}

/// The names under which `providerOptions` has the options of a model object.
pub(super) fn provider_names(provider: &str) -> Vec<&str> {
    let first = provider.split('.').next().unwrap_or(provider);
    let vendor = Vendor::of(provider).map(|vendor| vendor.names[0]);
    [provider, first].into_iter().chain(vendor).collect()
}

fn function(tool: &ToolSpec) -> Value {
    let mut spec = json!({
        "type": "function",
        "name": tool.name,
        "description": tool.description,
        "inputSchema": tool.input_schema,
    });
    if let Some(options) = &tool.provider_options {
        spec["providerOptions"] = Value::Object(options.clone());
    }
    spec
}

/// Id and arguments of a provider's tool; `None` if the model has none.
fn named(tool: &ProviderTool, provider: &str) -> Option<(String, Value)> {
    let vendor = Vendor::of(provider)?;
    match &tool.kind {
        ProviderToolKind::WebSearch(search) => vendor.search(search),
        ProviderToolKind::ByProvider(by_name) => {
            let wire = vendor.names.iter().find_map(|name| by_name.get(*name))?.as_object()?;
            vendor.tool(wire)
        }
    }
}

/// Whose tools a model object takes.
struct Vendor<'a> {
    /// The beginning of the tools' ids.
    prefix: &'static str,
    /// The names of the provider in `defProviderTool`.
    names: &'static [&'static str],
    interface: &'a str,
}

impl<'a> Vendor<'a> {
    fn of(provider: &'a str) -> Option<Self> {
        let (name, interface) = provider.split_once('.').unwrap_or((provider, ""));
        let (prefix, names): (_, &[&str]) = match name {
            "anthropic" => ("anthropic", &["anthropic"]),
            "openai" => ("openai", &["openai"]),
            "azure" | "azure-openai" => ("openai", &["azure", "openai"]),
            "google" if interface.starts_with("vertex") => ("google", &["vertex", "google"]),
            "google" => ("google", &["google"]),
            "xai" => ("xai", &["xai"]),
            "groq" => ("groq", &["groq"]),
            _ => return None,
        };
        // Their chat completions have no tools of the provider.
        let is_chat = matches!(prefix, "openai" | "xai") && interface.starts_with("chat");
        (!is_chat).then_some(Vendor { prefix, names, interface })
    }

    /// The options of `defWebSearch` that its search does not have.
    fn lacks(&self) -> &'static [&'static str] {
        match self.prefix {
            "google" | "groq" => &["allowedDomains", "blockedDomains", "maxUses", "location"],
            "xai" => &["maxUses", "location"],
            "openai" => &["maxUses"],
            _ => &[],
        }
    }

    fn search(&self, search: &WebSearch) -> Option<(String, Value)> {
        let WebSearch { allowed_domains, blocked_domains, max_uses, location } = search;
        let mut args = Map::new();
        let mut put = |key: &str, value: Value| {
            if !value.is_null() && value.as_array().is_none_or(|list| !list.is_empty()) {
                args.insert(key.to_owned(), value);
            }
        };
        let tool = match self.prefix {
            "anthropic" if !self.interface.starts_with("vertex") && !self.interface.starts_with("bedrock") => {
                put("maxUses", json!(max_uses));
                put("allowedDomains", json!(allowed_domains));
                put("blockedDomains", json!(blocked_domains));
                put("userLocation", place(location.as_ref()));
                "web_search_20250305"
            }
            "openai" => {
                let mut filters = Map::new();
                for (key, domains) in [("allowedDomains", allowed_domains), ("blockedDomains", blocked_domains)] {
                    if !domains.is_empty() {
                        filters.insert(key.to_owned(), json!(domains));
                    }
                }
                if !filters.is_empty() {
                    put("filters", filters.into());
                }
                put("userLocation", place(location.as_ref()));
                "web_search"
            }
            "xai" => {
                put("allowedDomains", json!(allowed_domains));
                put("excludedDomains", json!(blocked_domains));
                "web_search"
            }
            "google" => "google_search",
            "groq" => "browser_search",
            _ => return None,
        };
        Some((format!("{}.{tool}", self.prefix), args.into()))
    }

    /// A tool by its JSON: `{type, …}`, or Google's `{name: {…}}`.
    fn tool(&self, wire: &Map<String, Value>) -> Option<(String, Value)> {
        let (name, args) = match wire.get("type").and_then(Value::as_str) {
            Some(kind) => {
                let is_argument = |(key, _): &(&String, &Value)| *key != "type" && *key != "name";
                let args = wire.iter().filter(is_argument).map(|(key, value)| (key.clone(), value.clone()));
                (kind.to_owned(), Value::Object(args.collect()))
            }
            None => {
                let (name, args) = wire.iter().next().filter(|_| wire.len() == 1)?;
                (snake_case(name), args.clone())
            }
        };
        Some((format!("{}.{name}", self.prefix), with_camel_case(args)))
    }
}

fn place(location: Option<&SearchLocation>) -> Value {
    let Some(location) = location else { return Value::Null };
    let mut place = json!(location);
    place["type"] = "approximate".into();
    place
}

/// Members whose own members have names of the author.
const WITH_OWN_NAMES: [&str; 3] = ["headers", "metadata", "properties"];

/// The AI SDK writes names of members so.
fn with_camel_case(value: Value) -> Value {
    let renamed = |(key, value): (String, Value)| {
        let value = if WITH_OWN_NAMES.contains(&&*key) { value } else { with_camel_case(value) };
        (camel_case(&key), value)
    };
    match value {
        Value::Object(members) => Value::Object(members.into_iter().map(renamed).collect()),
        Value::Array(items) => Value::Array(items.into_iter().map(with_camel_case).collect()),
        other => other,
    }
}

fn camel_case(name: &str) -> String {
    let mut words = name.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |name, word| {
        let mut letters = word.chars();
        let capital: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
        name + &capital + letters.as_str()
    })
}

fn snake_case(name: &str) -> String {
    let letter = |letter: char| match letter.is_uppercase() {
        true => format!("_{}", letter.to_lowercase()),
        false => letter.to_string(),
    };
    name.chars().map(letter).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by_json(provider: &str, json: Value) -> Option<(String, Value)> {
        named(
            &ProviderTool { kind: ProviderToolKind::ByProvider(json.as_object()?.clone()), has_else: false },
            provider,
        )
    }

    #[test]
    fn the_json_of_a_provider_gives_the_id_and_arguments_of_the_sdk() {
        let json = json!({
            "anthropic": { "type": "web_fetch_20250910", "name": "web_fetch", "max_uses": 2 },
            "openai": { "type": "file_search", "vector_store_ids": ["a_b"], "headers": { "x_api_key": { "a_b": 1 } } },
            "google": { "codeExecution": {} },
        });
        let expected = |id: &str, args: Value| Some((id.to_owned(), args));
        let anthropic = expected("anthropic.web_fetch_20250910", json!({ "maxUses": 2 }));
        assert_eq!(by_json("anthropic.messages", json.clone()), anthropic);
        let openai = expected(
            "openai.file_search",
            json!({ "vectorStoreIds": ["a_b"], "headers": { "x_api_key": { "a_b": 1 } } }),
        );
        assert_eq!(by_json("openai.responses", json.clone()), openai);
        assert_eq!(by_json("azure.responses", json.clone()), openai);
        assert_eq!(by_json("google.generative-ai", json.clone()), expected("google.code_execution", json!({})));
        assert_eq!(by_json("openai.chat", json.clone()), None);
        assert_eq!(by_json("mistral.chat", json), None);
    }
}
