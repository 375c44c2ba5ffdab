//! Tools that Gemini runs.

use serde_json::{Value, json};

use super::model_name::{bare_name, version};
use crate::wire::{
    UnsupportedContent,
    provider_tools::{self, Target, Tools, put_domains, warn_lacking},
    settings::Warnings,
};
use lmthing_base::chat::{ModelRequest, ToolChoice, WebSearch};

pub(super) fn choose<'a>(
    request: &'a ModelRequest,
    names: &[&str],
    model_id: &str,
    warnings: &mut Warnings,
) -> Result<Tools<'a>, UnsupportedContent> {
    let target = Target { names, model_id };
    let name = bare_name(model_id);
    let version = version(&name);
    // Names of tuned models and endpoints do not say which model it is.
    let has_search = version.map_or(!name.starts_with("gemma"), |version| version >= (2, 0));
    let is_vertex = names[0] == "vertex";
    let mut lacking = Warnings::default();
    let tools = provider_tools::choose(request, target, |search| {
        has_search.then(|| google_search(search, is_vertex, &mut lacking))
    })?;
    // Before version 3, the service refuses functions together with tools of its own.
    if tools.is_mixed() && version.is_none_or(|version| version < (3, 0)) {
        return tools.into_functions(target);
    }
    warnings.append(lacking);
    if let Some(ToolChoice::Tool(name)) = &request.settings.tool_choice
        && tools.provided(name).is_some()
    {
        warnings.changed("toolChoice", "Gemini cannot be made to use a tool that Google runs");
    }
    Ok(tools)
}

fn google_search(search: &WebSearch, is_vertex: bool, warnings: &mut Warnings) -> Value {
    let mut options = json!({});
    let (lacks, provider): (&[&str], _) = if is_vertex {
        put_domains(&mut options, "excludeDomains", &search.blocked_domains);
        (&["allowedDomains", "maxUses", "location"], "Vertex AI")
    } else {
        (&["allowedDomains", "blockedDomains", "maxUses", "location"], "Google")
    };
    warn_lacking(search, lacks, provider, warnings);
    json!({ "googleSearch": options })
}
