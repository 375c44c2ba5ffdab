//! Call settings and warnings that formats have in common.

use serde_json::{Map, Value};

use super::values::put;
use lmthing_base::chat::{CallSettings, CallWarning, number};

#[derive(Debug, Default)]
pub(super) struct Warnings(Vec<CallWarning>);

impl Warnings {
    pub(super) fn unsupported(&mut self, setting: &str) {
        self.push("unsupported-setting", Some(setting), None);
    }

    pub(super) fn changed(&mut self, setting: &str, details: impl Into<String>) {
        self.push("unsupported-setting", Some(setting), Some(details.into()));
    }

    pub(super) fn other(&mut self, details: impl Into<String>) {
        self.push("other", None, Some(details.into()));
    }

    fn push(&mut self, kind: &str, setting: Option<&str>, details: Option<String>) {
        self.0.push(CallWarning { kind: kind.to_owned(), setting: setting.map(str::to_owned), details });
    }

    pub(super) fn append(&mut self, others: Warnings) {
        self.0.extend(others.0);
    }

    pub(super) fn into_vec(self) -> Vec<CallWarning> {
        self.0
    }
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SettingNames {
    pub max_output_tokens: Option<&'static str>,
    pub temperature: Option<&'static str>,
    pub top_p: Option<&'static str>,
    pub top_k: Option<&'static str>,
    pub stop_sequences: Option<&'static str>,
    pub seed: Option<&'static str>,
    pub presence_penalty: Option<&'static str>,
    pub frequency_penalty: Option<&'static str>,
}

pub(super) fn put_settings(
    body: &mut Map<String, Value>,
    settings: &CallSettings,
    names: &SettingNames,
    warnings: &mut Warnings,
) {
    let mut write = |setting: &str, name: Option<&str>, value: Option<Value>| match (name, value) {
        (_, None) => {}
        (Some(name), value) => put(body, name, value),
        (None, Some(_)) => warnings.unsupported(setting),
    };
    write("maxOutputTokens", names.max_output_tokens, settings.max_output_tokens.map(Value::from));
    write("temperature", names.temperature, settings.temperature.map(number));
    write("topP", names.top_p, settings.top_p.map(number));
    write("topK", names.top_k, settings.top_k.map(number));
    write("presencePenalty", names.presence_penalty, settings.presence_penalty.map(number));
    write("frequencyPenalty", names.frequency_penalty, settings.frequency_penalty.map(number));
    write("stopSequences", names.stop_sequences, settings.stop_sequences.clone().map(Value::from));
    write("seed", names.seed, settings.seed.map(Value::from));
}

pub(super) fn clamp_temperature(temperature: Option<f64>, provider: &str, warnings: &mut Warnings) -> Option<f64> {
    let temperature = temperature?;
    if (0.0..=1.0).contains(&temperature) {
        return Some(temperature);
    }
    let clamped = temperature.clamp(0.0, 1.0);
    warnings.changed("temperature", format!("{provider} takes 0 to 1; {temperature} was changed to {clamped}"));
    Some(clamped)
}

pub(super) fn drop_sampling(settings: &mut CallSettings, names: [&str; 3], when: &str, warnings: &mut Warnings) {
    for name in names {
        let was_set = match name {
            "temperature" => settings.temperature.take().is_some(),
            "topP" => settings.top_p.take().is_some(),
            "topK" => settings.top_k.take().is_some(),
            _ => false,
        };
        if was_set {
            warnings.changed(name, format!("{name} is not supported {when}"));
        }
    }
}
