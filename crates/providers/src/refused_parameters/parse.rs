//! Parses parameter names in refusals. All candidates are looked up in the request, so wrong guesses are harmless.

use serde_json::Value;

use super::body::{ParameterLocation, normalized_name};

pub(super) fn is_unsupported(code: &str, message: &str) -> bool {
    const CODES: [&str; 4] = ["unsupported_parameter", "unsupported_value", "unknown_parameter", "unrecognized"];
    const WORDS: [&str; 25] = [
        "unsupported",
        "not supported",
        "not support",
        "n't support",
        "no longer supported",
        "unrecognized",
        "unrecognised",
        "not recognized",
        "unknown parameter",
        "unknown field",
        "unknown name",
        "unknown argument",
        "unknown key",
        "unexpected keyword",
        "unexpected parameter",
        "not permitted",
        "not allowed",
        "extra_forbidden",
        "extra fields",
        "extraneous",
        "deprecated",
        "cannot both be specified",
        "may only be set to",
        "not enabled for",
        "not available for this model",
    ];
    let message = message.to_ascii_lowercase();
    CODES.iter().any(|known| code.contains(known)) || WORDS.iter().any(|words| message.contains(words))
}

pub(super) fn is_conditional(message: &str) -> bool {
    const WORDS: [&str; 3] = ["cannot both be specified", "may only be set to", "when thinking is enabled"];
    let message = message.to_ascii_lowercase();
    WORDS.iter().any(|words| message.contains(words))
}

/// The name in "Use 'max_completion_tokens' instead."
pub(super) fn replacement_name(message: &str) -> Option<String> {
    let (_, rest) = message.split_once("Use ").or_else(|| message.split_once("use "))?;
    let mut parts = rest.splitn(3, ['\'', '"', '`']);
    let (before, name, after) = (parts.next()?, parts.next()?, parts.next()?);
    let plain = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    (plain && before.trim().is_empty() && after.trim_start().starts_with("instead")).then(|| name.to_owned())
}

pub(super) fn locations(body: Option<&Value>, error: &Value, message: &str, request: &Value) -> Vec<ParameterLocation> {
    let find = |path: &Vec<String>| ParameterLocation::find(path, request);
    let sure = [listed(body), listed_in_text(message), by_google(message), after_colon(message)];
    for paths in sure {
        let mut locations: Vec<ParameterLocation> = Vec::new();
        for location in paths.iter().filter_map(find) {
            if !locations.contains(&location) {
                locations.push(location);
            }
        }
        if !locations.is_empty() {
            return locations;
        }
    }
    // The next formats may also name unrelated parameters, so only one is taken.
    let param = error.get("param").and_then(Value::as_str).map(path_of);
    let quoted: Vec<ParameterLocation> = quoted(message).iter().filter_map(find).collect();
    let quoted = if message.contains("both") { quoted.into_iter().next_back() } else { quoted.into_iter().next() };
    let one = param.as_ref().and_then(find).or_else(|| before_colon(message).iter().find_map(find)).or(quoted);
    one.or_else(|| setting_names(message).iter().find_map(find)).into_iter().collect()
}

fn path_of(name: &str) -> Vec<String> {
    name.split(['.', '[', ']', '/', '#']).filter(|step| !step.is_empty()).map(str::to_owned).collect()
}

/// `{detail: [{type: "extra_forbidden", loc: ["body", "x"]}]}`, at the top or inside `message` or `error`.
fn listed(body: Option<&Value>) -> Vec<Vec<String>> {
    let Some(body) = body else { return Vec::new() };
    let lists = ["/detail", "/message/detail", "/error/detail", "/error/message/detail"];
    let items = lists.iter().filter_map(|location| body.pointer(location)?.as_array()).flatten();
    let forbidden = |item: &&Value| {
        let text = |key: &str| item.get(key).and_then(Value::as_str).unwrap_or_default();
        text("type").contains("extra") || is_unsupported("", text("msg"))
    };
    let steps = |item: &Value| {
        let steps = item.get("loc")?.as_array()?.iter().map(|step| step.as_str().unwrap_or_default().to_owned());
        Some(steps.skip_while(|step| step == "body").collect())
    };
    items.filter(forbidden).filter_map(steps).collect()
}

/// The same as printed by Python: `{'type': 'extra_forbidden', 'loc': ('body', 'x'), …}`.
fn listed_in_text(message: &str) -> Vec<Vec<String>> {
    if !message.contains("extra_forbidden") && !message.to_ascii_lowercase().contains("extra ") {
        return Vec::new();
    }
    let locations = message.split("'loc': (").skip(1).filter_map(|rest| Some(rest.split_once(')')?.0));
    locations
        .map(|location| location.split(',').map(|step| step.trim().trim_matches('\'').to_owned()))
        .map(|steps| steps.filter(|step| !step.is_empty()).skip_while(|step| step == "body").collect())
        .collect()
}

/// `Unknown name "thinkingLevel" at 'generation_config.thinking_config': Cannot find field.`, on separate lines.
fn by_google(message: &str) -> Vec<Vec<String>> {
    let one = |rest: &str| {
        let (name, rest) = rest.split_once('"')?;
        let location =
            rest.trim_start().strip_prefix("at '").and_then(|rest| rest.split_once('\'')).map(|(location, _)| location);
        Some(path_of(location.unwrap_or_default()).into_iter().chain([name.to_owned()]).collect())
    };
    message.split("Unknown name \"").skip(1).filter_map(one).collect()
}

/// `Unrecognized request arguments supplied: a, b`
fn after_colon(message: &str) -> Vec<Vec<String>> {
    let Some((_, list)) = message.split_once("supplied:") else { return Vec::new() };
    list.split(',').filter_map(identifier_at_start).map(|name| path_of(&name)).collect()
}

fn identifier_at_start(text: &str) -> Option<String> {
    let text = text.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '\'' | '"' | '`'));
    let name: String = text.chars().take_while(|c| is_name(*c)).collect();
    let name = name.trim_end_matches('.');
    (!name.is_empty()).then(|| name.to_owned())
}

fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '[' | ']' | '#' | '/')
}

/// `thinking.type: Extra inputs are not permitted`, possibly after a prefix of the service.
fn before_colon(message: &str) -> Vec<Vec<String>> {
    let words = message.split_whitespace().filter_map(|word| word.strip_suffix(':'));
    let words = words.map(|word| word.trim_matches(['\'', '"', '`', '(', ')']));
    words.filter(|word| !word.is_empty() && word.chars().all(is_name)).map(path_of).collect()
}

fn quoted(message: &str) -> Vec<Vec<String>> {
    let mut names = Vec::new();
    let mut left = message;
    while let Some(start) = left.find(['\'', '"', '`', '[']) {
        let open = left[start..].chars().next().unwrap_or_default();
        let close = if open == '[' { ']' } else { open };
        let rest = &left[start + 1..];
        let inside = rest.split_once(close).map(|(inside, _)| inside).filter(|inside| inside.chars().all(is_name));
        left = match inside {
            Some(inside) => &rest[inside.len() + 1..],
            None => rest,
        };
        names.extend(inside.filter(|inside| !inside.is_empty()).map(path_of));
    }
    names
}

const OUTPUT_FORMAT_PATHS: [&str; 7] = [
    "responseformat",
    "responsemimetype",
    "responseschema",
    "outputformat",
    "text.format",
    "outputconfig.format",
    "outputconfig.textformat",
];

/// The location of the output schema, if the refusal is about it ("'response_format.type' must be `text` or
/// `json_object`"): the schema is in the instructions, too. A format from the provider's own options does not count.
pub(super) fn output_schema(message: &str, request: &Value) -> Option<ParameterLocation> {
    let message = normalized_name(message);
    let words =
        ["responseformat", "response format", "responseschema", "responsejsonschema", "outputconfig", "text.format"];
    let others = ["jsonschema", "json schema", "structured output", "json mode", "jsonmode", "response mime type"];
    words.iter().chain(&others).find(|words| message.contains(**words))?;
    let locations = OUTPUT_FORMAT_PATHS.iter().filter_map(|name| ParameterLocation::find(&path_of(name), request));
    locations.into_iter().find(|location| {
        let names_schema =
            |value: &Value| value.get("type").is_some_and(|kind| kind == "json_schema") || value == "application/json";
        location.is_output_format() && location.value(request).is_some_and(names_schema)
    })
}

/// Whether the refusal is about a combination with tools.
pub(super) fn is_about_tools(message: &str) -> bool {
    let message = message.to_ascii_lowercase();
    ["tool", "function call", "functions"].iter().any(|words| message.contains(words))
}

/// Settings that are named without quotes, as in "Thinking budget is not supported for this model."
fn setting_names(message: &str) -> Vec<Vec<String>> {
    const SETTINGS: [&str; 24] = [
        "temperature",
        "topp",
        "topk",
        "minp",
        "seed",
        "stopsequences",
        "maxtokens",
        "maxcompletiontokens",
        "maxoutputtokens",
        "presencepenalty",
        "frequencypenalty",
        "reasoningeffort",
        "reasoning",
        "thinkingbudget",
        "thinkinglevel",
        "thinkingconfig",
        "responseformat",
        "toolchoice",
        "paralleltoolcalls",
        "streamoptions",
        "includeusage",
        "logprobs",
        "logitbias",
        "verbosity",
    ];
    let words: Vec<String> = message
        .split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .filter(|word| !word.is_empty())
        .map(normalized_name)
        .collect();
    let mut names: Vec<Vec<String>> = Vec::new();
    for start in 0..words.len() {
        for count in (1..=3.min(words.len() - start)).rev() {
            let name = words[start..start + count].concat();
            match name.as_str() {
                "jsonmode" | "jsonschema" | "structuredoutput" | "structuredoutputs" => {
                    names.extend(OUTPUT_FORMAT_PATHS.iter().map(|name| path_of(name)));
                }
                "thinking" => names.extend(["thinking", "thinkingconfig", "think"].map(path_of)),
                "penalty" => names.extend(["presencepenalty", "frequencypenalty"].map(path_of)),
                name if SETTINGS.contains(&name) => names.push(path_of(name)),
                _ => {}
            }
        }
    }
    names
}
