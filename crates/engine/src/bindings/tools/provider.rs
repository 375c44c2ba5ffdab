//! `defWebSearch` and `defProviderTool`: tools that the provider runs (docs/reference/provider-tools.md).

use std::rc::Rc;

use rquickjs::{Ctx, Function, Object, Result, Value, object::Filter};

use crate::{
    bindings::{
        prompt::{
            call::Call,
            entry::{CallOptions, Callable, Entry, Registry},
            recorded,
            reference::Reference,
        },
        values::{
            elements, kind_of, property,
            schema::{PlainSchema, Schema},
            to_json, type_error,
        },
    },
    plugin::provider_tools,
    prompt::{DefinitionKind, ToolDefinition, WEB_SEARCH},
};
use lmthing_base::chat::{ProviderTool, ProviderToolKind, SearchLocation, WebSearch};
use lmthing_node::{string_text, warn};

const ELSE: &str = "else";

/// `defWebSearch({allowedDomains?, blockedDomains?, maxUses?, location?, else?})`.
pub(crate) fn def_web_search(call: Call<'_>) -> Result<Value<'_>> {
    let kind = DefinitionKind::DefWebSearch;
    let given = call.arg(0);
    let place = kind.method();
    let known = ["allowedDomains", "blockedDomains", "maxUses", "location", ELSE];
    let (search, execute) = match Options::of(&call.ctx, &given, place, &known)? {
        Some(options) => (read_search(&options)?, options.function(ELSE)?),
        None => (WebSearch::default(), None),
    };
    let tool = ProviderTool { kind: ProviderToolKind::WebSearch(search), has_else: execute.is_some() };
    define(&call, kind, WEB_SEARCH, tool, execute)
}

/// `defProviderTool(name, {openai: {…}, anthropic: {…}, …}, {else?})`.
pub(crate) fn def_provider_tool(call: Call<'_>) -> Result<Value<'_>> {
    let kind = DefinitionKind::DefProviderTool;
    let name = call.string(0, "defProviderTool: the name")?;
    let place = format!("defProviderTool('{name}')");
    let by_provider = call.arg(1);
    let wanted = "the tool must be an object with the JSON for each provider, such as { anthropic: { type: … } }";
    let given = match by_provider.as_object() {
        Some(_) if by_provider.is_array() || by_provider.is_function() => None,
        Some(_) => to_json(&call.ctx, &by_provider)?.as_object().cloned(),
        None => None,
    };
    let Some(given) = given else {
        return Err(type_error(&call.ctx, format!("{place}: {wanted}, got {}", kind_of(&by_provider))));
    };
    if given.is_empty() {
        return Err(type_error(&call.ctx, format!("{place}: {wanted}, got an empty one")));
    }
    if let Some((provider, _)) = given.iter().find(|(_, json)| !json.is_object()) {
        let message = format!("{place}: the tool of '{provider}' must be an object, the provider's own JSON");
        return Err(type_error(&call.ctx, message));
    }
    let options = call.arg(2);
    let execute = match Options::of(&call.ctx, &options, &format!("{place}: options"), &[ELSE])? {
        Some(options) => options.function(ELSE)?,
        None => None,
    };
    let tool = ProviderTool { kind: ProviderToolKind::ByProvider(given), has_else: execute.is_some() };
    define(&call, kind, &name, tool, execute)
}

fn define<'js>(
    call: &Call<'js>,
    kind: DefinitionKind,
    name: &str,
    tool: ProviderTool,
    execute: Option<Function<'js>>,
) -> Result<Value<'js>> {
    recorded::record(&call.ctx, &call.prompt, kind, name)?;
    let description = match kind {
        DefinitionKind::DefWebSearch => provider_tools::SEARCH_DESCRIPTION.to_owned(),
        _ => format!("The tool {name}."),
    };
    let definition = ToolDefinition { provider_tool: Some(Rc::new(tool)), ..ToolDefinition::new(kind, description) };
    let defined = match kind {
        DefinitionKind::DefWebSearch => call.core.prompt.borrow_mut().define_web_search(definition),
        _ => call.core.prompt.borrow_mut().define_tool(name, definition),
    };
    defined.map_err(|error| type_error(&call.ctx, error.to_string()))?;
    let prompt = call.prompt.borrow();
    let key = Registry::key(kind, name);
    match execute {
        Some(execute) => {
            let input_schema = Schema::Plain(PlainSchema::new(provider_tools::input_schema(kind)));
            let callable = Callable { input_schema, execute, options: CallOptions::default() };
            prompt.bag.set_entry(Registry::Tools, key, Entry::Single(callable));
        }
        // A tool of this name may have had a function before.
        None => prompt.bag.remove_entry(Registry::Tools, key),
    }
    Reference::create(&call.ctx, &call.core, kind, name.to_owned())
}

fn read_search(options: &Options<'_, '_>) -> Result<WebSearch> {
    let search = WebSearch {
        allowed_domains: options.domains("allowedDomains")?,
        blocked_domains: options.domains("blockedDomains")?,
        max_uses: options.count("maxUses")?,
        location: options.location()?,
    };
    if !search.allowed_domains.is_empty() && !search.blocked_domains.is_empty() {
        return Err(options.wrong("takes allowedDomains or blockedDomains, not both"));
    }
    Ok(search)
}

/// An object of options with known names.
struct Options<'a, 'js> {
    ctx: &'a Ctx<'js>,
    given: Object<'js>,
    place: &'a str,
}

impl<'a, 'js> Options<'a, 'js> {
    /// `None` if there are none. An unknown name is an error, as it may have been meant to restrict the tool.
    fn of(ctx: &'a Ctx<'js>, value: &Value<'js>, place: &'a str, known: &[&'static str]) -> Result<Option<Self>> {
        if value.is_undefined() || value.is_null() {
            return Ok(None);
        }
        let Some(given) = value.as_object().filter(|_| !value.is_array() && !value.is_function()) else {
            return Err(type_error(ctx, format!("{place}: the options must be an object, got {}", kind_of(value))));
        };
        let options = Options { ctx, given: given.clone(), place };
        for name in given.own_keys::<String>(Filter::new().string().enum_only()) {
            let name = name?;
            if !known.contains(&name.as_str()) {
                return Err(options.wrong(&format!("has no '{name}'; {}", warn::suggestion(&name, known))));
            }
        }
        Ok(Some(options))
    }

    fn wrong(&self, problem: &str) -> rquickjs::Error {
        type_error(self.ctx, format!("{} {problem}", self.place))
    }

    fn wrong_value<T>(&self, name: &str, wanted: &str, value: &Value<'js>) -> Result<T> {
        let got = match value.as_string() {
            Some(text) => format!("'{}'", string_text(text)?),
            None if value.is_number() => to_json(self.ctx, value)?.to_string(),
            None => kind_of(value).to_owned(),
        };
        Err(type_error(self.ctx, format!("{}: {name} must be {wanted}, got {got}", self.place)))
    }

    fn function(&self, name: &str) -> Result<Option<Function<'js>>> {
        match property(&self.given, name)? {
            None => Ok(None),
            Some(value) => match value.as_function() {
                Some(function) => Ok(Some(function.clone())),
                None => self.wrong_value(name, "a function", &value),
            },
        }
    }

    fn text(&self, name: &str) -> Result<Option<String>> {
        match property(&self.given, name)? {
            None => Ok(None),
            Some(value) => match value.as_string().map(string_text).transpose()?.filter(|text| !text.is_empty()) {
                Some(text) => Ok(Some(text)),
                None => self.wrong_value(name, "a string that is not empty", &value),
            },
        }
    }

    fn count(&self, name: &str) -> Result<Option<u64>> {
        let Some(value) = property(&self.given, name)? else { return Ok(None) };
        match value.as_number().filter(|number| *number >= 1.0 && number.fract() == 0.0) {
            Some(number) => Ok(Some(number as u64)),
            None => self.wrong_value(name, "a whole number of at least 1", &value),
        }
    }

    fn domains(&self, name: &str) -> Result<Vec<String>> {
        let wanted = "a list of domains such as 'example.com'";
        let Some(value) = property(&self.given, name)? else { return Ok(Vec::new()) };
        let Some(list) = value.as_array() else { return self.wrong_value(name, wanted, &value) };
        let mut domains = Vec::with_capacity(list.len());
        for item in elements(list)? {
            let text = item.as_string().map(string_text).transpose()?;
            let is_domain = |text: &String| !text.is_empty() && !text.contains(char::is_whitespace);
            match text.filter(is_domain) {
                Some(text) if text.contains("://") => {
                    return self.wrong_value(name, &format!("{wanted}, without a scheme"), &item);
                }
                Some(text) => domains.push(text),
                None => return self.wrong_value(name, wanted, &item),
            }
        }
        if domains.is_empty() && name == "allowedDomains" {
            return Err(
                self.wrong("has an empty list allowedDomains, which would allow nothing; leave it out to allow all")
            );
        }
        Ok(domains)
    }

    fn location(&self) -> Result<Option<SearchLocation>> {
        let Some(value) = property(&self.given, "location")? else { return Ok(None) };
        let place = format!("{}: location", self.place);
        let known = ["city", "region", "country", "timezone"];
        let Some(given) = Options::of(self.ctx, &value, &place, &known)? else { return Ok(None) };
        let location = SearchLocation {
            city: given.text("city")?,
            region: given.text("region")?,
            country: given.text("country")?,
            timezone: given.text("timezone")?,
        };
        Ok(Some(location).filter(|location| *location != SearchLocation::default()))
    }
}
