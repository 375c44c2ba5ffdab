//! Reasoning settings of OpenAI and Azure, for Responses and chat completions.

use serde_json::{Map, Value};

use super::{
    effort::{choose, warn_unsupported},
    openai_models::{Kind, efforts, kind, may_sample_without_effort},
    settings::Warnings,
    values::set_option,
};
use lmthing_base::chat::{CallSettings, Reasoning};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Api {
    Responses,
    Chat,
    AzureDeployment,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Plan {
    pub effort: Option<Value>,
    pub reasons: bool,
    pub takes_sampling: bool,
}

pub(super) fn plan(
    api: Api,
    model_id: &str,
    settings: &CallSettings,
    options: Option<&Map<String, Value>>,
    warnings: &mut Warnings,
) -> Plan {
    let kind = kind(model_id);
    let option = |name: &str| options.and_then(|options| options.get(name)).filter(|value| !value.is_null());
    // For models with custom names.
    let forced = option("forceReasoning") == Some(&Value::Bool(true));
    let effort = match (option("reasoningEffort").or_else(|| option("reasoning_effort")), settings.reasoning) {
        (Some(_), _) if api == Api::Responses && kind == Kind::Plain && !forced => {
            warnings.changed("reasoningEffort", "reasoningEffort is not supported for non-reasoning models");
            None
        }
        // Passed on unchecked, as the service may support newer levels.
        (Some(effort), _) => Some(effort.clone()),
        (None, Some(reasoning)) => {
            let plain = kind == Kind::Plain && api != Api::AzureDeployment && !forced;
            from_setting(reasoning, kind, plain, model_id, warnings)
        }
        (None, None) => None,
    };
    let reasons = kind == Kind::Reasoning || forced || (api == Api::AzureDeployment && effort.is_some());
    let without_effort = effort.as_ref().is_some_and(|effort| effort == "none");
    let may_sample = without_effort && (kind != Kind::Reasoning || may_sample_without_effort(model_id));
    Plan { effort, reasons, takes_sampling: !reasons || may_sample }
}

/// The role of system messages; `None` leaves them out.
pub(super) fn system_role(options: Option<&Map<String, Value>>, reasoning_model: bool) -> Option<&'static str> {
    match set_option(options, "systemMessageMode").and_then(Value::as_str) {
        Some("remove") => None,
        Some("system") => Some("system"),
        Some("developer") => Some("developer"),
        _ if reasoning_model => Some("developer"),
        _ => Some("system"),
    }
}

fn from_setting(
    reasoning: Reasoning,
    kind: Kind,
    plain: bool,
    model_id: &str,
    warnings: &mut Warnings,
) -> Option<Value> {
    match (reasoning, kind) {
        (Reasoning::Off, Kind::Plain) => None,
        // Most models would refuse the request if the guess is wrong.
        (Reasoning::Off, Kind::Unknown) if !model_id.contains("gpt-oss") => {
            let why = "it is not known whether this model reasons; set providerOptions to turn it off";
            warnings.changed("reasoning", why);
            None
        }
        _ if plain => {
            warn_unsupported(warnings);
            None
        }
        _ => Some(choose(reasoning, efforts(model_id), warnings).name().into()),
    }
}
