//! What a request to OpenAI or azure says about reasoning; the Responses and the chat completions format agree on it.

use serde_json::{Map, Value};

use super::{
    effort::{choose, warn_unsupported},
    openai_models::{Kind, efforts, kind, may_sample_without_effort},
    settings::Warnings,
};
use crate::chat::{CallSettings, Reasoning};

/// Who is asked, as far as that makes a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asked {
    /// The Responses API, which refuses an effort that the model has not.
    Responses,
    /// Chat completions.
    Chat,
    /// A deployment on azure, whose name is anybody's choice and tells nothing for sure.
    Deployment,
}

/// How a request to a model has to look.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Plan {
    /// The effort that goes out.
    pub effort: Option<Value>,
    /// Whether the model is treated as one that reasons.
    pub reasons: bool,
    /// Whether temperature and its relatives may go out.
    pub takes_sampling: bool,
}

/// Puts together what the model's id, `providerOptions` and the call settings say.
pub(crate) fn plan(
    asked: Asked,
    model_id: &str,
    settings: &CallSettings,
    options: Option<&Map<String, Value>>,
    warnings: &mut Warnings,
) -> Plan {
    let kind = kind(model_id);
    let option = |name: &str| options.and_then(|options| options.get(name)).filter(|value| !value.is_null());
    // For models behind a name of somebody's own.
    let forced = option("forceReasoning") == Some(&Value::Bool(true));
    let effort = match (option("reasoningEffort").or_else(|| option("reasoning_effort")), settings.reasoning) {
        (Some(_), _) if asked == Asked::Responses && kind == Kind::Plain && !forced => {
            warnings.changed("reasoningEffort", "reasoningEffort is not supported for non-reasoning models");
            None
        }
        // Whatever it is: the service may know levels that are newer than this program.
        (Some(effort), _) => Some(effort.clone()),
        (None, Some(reasoning)) => {
            let plain = kind == Kind::Plain && asked != Asked::Deployment && !forced;
            from_setting(reasoning, kind, plain, model_id, warnings)
        }
        (None, None) => None,
    };
    let reasons = kind == Kind::Reasoning || forced || (asked == Asked::Deployment && effort.is_some());
    let without_effort = effort.as_ref().is_some_and(|effort| effort == "none");
    let may_sample = without_effort && (kind != Kind::Reasoning || may_sample_without_effort(model_id));
    Plan { effort, reasons, takes_sampling: !reasons || may_sample }
}

fn from_setting(
    reasoning: Reasoning,
    kind: Kind,
    plain: bool,
    model_id: &str,
    warnings: &mut Warnings,
) -> Option<Value> {
    match (reasoning, kind) {
        // It is off already.
        (Reasoning::Off, Kind::Plain) => None,
        // A wrong guess at its lowest level would fail the request.
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
