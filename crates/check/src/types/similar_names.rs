//! Suggests the right name for names of other libraries and for typos.

use super::declared_names::members_of;
use lmthing_base::diagnostic::closest;

/// Names from other libraries, with the name here.
const FOREIGN_NAMES: [(&str, &str); 20] = [
    ("content", "text"),
    ("input", "args"),
    ("arguments", "args"),
    ("result", "output"),
    ("name", "toolName"),
    ("tool", "toolName"),
    ("id", "toolCallId"),
    ("signal", "abortSignal"),
    ("stepNum", "stepNumber"),
    ("promptTokens", "inputTokens"),
    ("completionTokens", "outputTokens"),
    ("maxToken", "maxOutputTokens"),
    ("maxTokens", "maxOutputTokens"),
    ("max_tokens", "maxOutputTokens"),
    ("stop", "stopSequences"),
    ("minimum", "min"),
    ("maximum", "max"),
    ("minLength", "min"),
    ("maxLength", "max"),
    ("description", "describe"),
];
/// The methods of zod's schemas that appear in `FOREIGN_NAMES`.
const ZOD: [&str; 3] = ["min", "max", "describe"];

/// The member of a type that was most likely meant.
pub(super) fn similar_name(name: &str, kind: &str) -> Option<String> {
    if kind.starts_with("State<") && !name.is_empty() {
        return Some("it is a list: const [value, set] = defState(…)".to_owned());
    }
    let members = members(kind);
    let foreign =
        FOREIGN_NAMES.iter().find(|(wrong, right)| *wrong == name && members.iter().any(|member| member == right));
    let right = match foreign {
        Some((_, right)) => (*right).to_owned(),
        // Literal and zod types have members that the author named.
        None if kind.starts_with(['{', 'Z']) => return None,
        None => closest(name, members.iter().map(String::as_str))?.to_owned(),
    };
    Some(format!("did you mean '{right}'?"))
}

/// The members of a type, as far as its text shows them.
fn members(kind: &str) -> Vec<String> {
    let owned = |names: Vec<&str>| names.into_iter().map(str::to_owned).collect::<Vec<_>>();
    if kind.starts_with('{') {
        let parts = kind.split(['{', ';']).filter_map(|part| part.split_once(':'));
        return parts.map(|(name, _)| name.trim().trim_end_matches('?').to_owned()).collect();
    }
    match kind {
        "Options" => owned([members_of("CallSettings"), members_of("PromptSettings")].concat()),
        _ if kind.starts_with("Zod") => owned(ZOD.to_vec()),
        _ if kind.chars().all(char::is_alphanumeric) => owned(members_of(kind)),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_other_libraries_are_translated() {
        for (name, kind, right) in [
            ("content", "{ type: \"text\"; text: string; }", "text"),
            ("input", "{ type: \"tool-call\"; toolName: string; args?: unknown; }", "args"),
            ("minimum", "ZodNumber", "min"),
            ("promptTokens", "Usage", "inputTokens"),
            ("stepNum", "EffectContext", "stepNumber"),
            ("signal", "ToolExecution", "abortSignal"),
            ("name", "{ toolName: string; args: any; output: any; }", "toolName"),
            ("maxToken", "Options", "maxOutputTokens"),
        ] {
            assert_eq!(similar_name(name, kind), Some(format!("did you mean '{right}'?")), "{name}");
        }
        assert_eq!(similar_name("content", "{ title: string; }"), None);
        assert_eq!(similar_name("signal", "Unknown"), None);
    }
}
