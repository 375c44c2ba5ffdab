//! Tools that providers run: which of a request's tools go to the provider, and which are ordinary functions
//! (docs/reference/provider-tools.md).

use std::borrow::Cow;

use serde_json::{Value, json};

use super::{UnsupportedContent, settings::Warnings};
use lmthing_base::chat::{ModelRequest, ProviderToolKind, SearchLocation, ToolChoice, ToolSpec, WebSearch};

/// The tools of a request, as one model receives them.
pub(super) struct Tools<'a> {
    pub functions: Cow<'a, [ToolSpec]>,
    pub provided: Vec<Provided<'a>>,
}

/// A tool that the provider runs, in its own format.
pub(super) struct Provided<'a> {
    spec: &'a ToolSpec,
    pub wire: Value,
}

/// The model that a request goes to; the first of its provider's names is shown in messages.
#[derive(Clone, Copy)]
pub(super) struct Target<'a> {
    pub names: &'a [&'a str],
    pub model_id: &'a str,
}

/// Divides the tools of a request. `search` returns the provider's web search, `None` if the model has none.
///
/// # Errors
/// The provider lacks a tool that has no `else`.
pub(super) fn choose<'a>(
    request: &'a ModelRequest,
    target: Target<'_>,
    mut search: impl FnMut(&WebSearch) -> Option<Value>,
) -> Result<Tools<'a>, UnsupportedContent> {
    let mut tools = Tools { functions: Cow::Borrowed(&request.tools), provided: Vec::new() };
    if request.tools.iter().all(|tool| tool.provider_tool.is_none()) {
        return Ok(tools);
    }
    let is_off = request.settings.tool_choice == Some(ToolChoice::None);
    let mut functions = Vec::with_capacity(request.tools.len());
    for spec in &request.tools {
        let wire = spec.provider_tool.as_ref().and_then(|tool| match &tool.kind {
            ProviderToolKind::WebSearch(options) => search(options),
            ProviderToolKind::ByProvider(by_name) => {
                target.names.iter().find_map(|name| by_name.get(*name)).filter(|wire| !wire.is_null()).cloned()
            }
        });
        match wire {
            // `none` turns off functions only, at some providers.
            Some(_) if is_off => {}
            Some(wire) => tools.provided.push(Provided { spec, wire }),
            None if spec.runs_here() => functions.push(spec.clone()),
            None => return Err(lacking(spec, target)),
        }
    }
    tools.functions = Cow::Owned(functions);
    Ok(tools)
}

impl Tools<'_> {
    pub(super) fn is_mixed(&self) -> bool {
        !self.functions.is_empty() && !self.provided.is_empty()
    }

    /// Makes functions of all tools, for models that do not take the provider's together with functions.
    ///
    /// # Errors
    /// A tool has no `else`.
    pub(super) fn into_functions(mut self, target: Target<'_>) -> Result<Self, UnsupportedContent> {
        for Provided { spec, .. } in std::mem::take(&mut self.provided) {
            if !spec.runs_here() {
                return Err(excluding(spec, target));
            }
            self.functions.to_mut().push(spec.clone());
        }
        Ok(self)
    }

    /// The provider's tool of this name, which `toolChoice` may force.
    pub(super) fn provided(&self, name: &str) -> Option<&Value> {
        self.provided.iter().find(|tool| tool.spec.name == name).map(|tool| &tool.wire)
    }

    /// The provider's name of a tool that is to be forced.
    pub(super) fn forced_name<'n>(&'n self, name: &'n str) -> &'n str {
        self.provided(name).and_then(|wire| wire.get("name")?.as_str()).unwrap_or(name)
    }
}

fn definition(spec: &ToolSpec) -> (String, &'static str) {
    match spec.provider_tool.as_ref().map(|tool| &tool.kind) {
        Some(ProviderToolKind::ByProvider(_)) => (format!("defProviderTool('{}')", spec.name), "tool for it"),
        _ => ("defWebSearch".to_owned(), "web search of its own"),
    }
}

fn lacking(spec: &ToolSpec, Target { names, model_id }: Target<'_>) -> UnsupportedContent {
    let (definition, what) = definition(spec);
    let provider = names.first().copied().unwrap_or_default();
    UnsupportedContent::new(format!(
        "{definition}: {provider}:{model_id} has no {what}. Pass a function `else`, which then runs in its place, or \
         use another model."
    ))
}

fn excluding(spec: &ToolSpec, Target { names, model_id }: Target<'_>) -> UnsupportedContent {
    let (definition, _) = definition(spec);
    let provider = names.first().copied().unwrap_or_default();
    UnsupportedContent::new(format!(
        "{definition}: {provider}:{model_id} does not take tools that the provider runs together with functions. Pass \
         a function `else`, which then runs in its place, or use another model."
    ))
}

/// Warns about each set option that the search of a provider does not have.
pub(super) fn warn_lacking(search: &WebSearch, lacks: &[&str], provider: &str, warnings: &mut Warnings) {
    for name in search.set_options().filter(|name| lacks.contains(name)) {
        let setting = format!("defWebSearch.{name}");
        warnings.changed(&setting, format!("the web search of {provider} has no {name}; it was left out"));
    }
}

/// `{type: "approximate", city, …}`, as OpenAI and Anthropic take it.
pub(super) fn approximate(location: &SearchLocation) -> Value {
    let mut wire = json!({ "type": "approximate" });
    let SearchLocation { city, region, country, timezone } = location;
    for (key, value) in [("city", city), ("region", region), ("country", country), ("timezone", timezone)] {
        if let Some(value) = value {
            wire[key] = value.clone().into();
        }
    }
    wire
}

/// Adds a list of domains under a name, unless it is empty.
pub(super) fn put_domains(wire: &mut Value, key: &str, domains: &[String]) {
    if !domains.is_empty() {
        wire[key] = domains.into();
    }
}
