//! What schemas of zod and of Standard Schema find wrong.

use rquickjs::{Array, Ctx, Object, Result, Value};

use crate::bindings::values::{property, to_text};
use lmthing_base::schema::{ProblemKind, ValidationProblem};

pub(super) fn problems<'js>(ctx: &Ctx<'js>, issues: &Value<'js>) -> Result<Vec<ValidationProblem>> {
    let invalid = |message: Option<String>| message.unwrap_or_else(|| "invalid".into());
    let mut problems = Vec::new();
    for issue in issues.as_array().into_iter().flat_map(|issues| issues.iter::<Object>()) {
        let issue = issue?;
        let message = invalid(issue.get("message")?);
        let (path, keys) = match property(&issue, "path")?.and_then(Value::into_array) {
            Some(path) => path_texts(ctx, &path)?,
            None => Default::default(),
        };
        // The codes are zod's; other libraries have only messages.
        let kind = match property(&issue, "code")?.and_then(|code| code.as_string()?.to_string().ok()).as_deref() {
            Some("unrecognized_keys") => ProblemKind::UnknownKeys,
            _ => ProblemKind::Other,
        };
        problems.push(ValidationProblem { kind, path, keys, message });
    }
    if problems.is_empty() {
        problems.push(ValidationProblem { message: invalid(None), ..ValidationProblem::default() });
    }
    Ok(problems)
}

fn path_texts<'js>(ctx: &Ctx<'js>, path: &Array<'js>) -> Result<(String, Vec<String>)> {
    let (mut text, mut keys) = (String::new(), Vec::new());
    for step in path.iter::<Value>() {
        let step = step?;
        // A Standard Schema path may hold `{key}` objects in place of keys.
        let step = match step.as_object() {
            Some(object) if !step.is_symbol() => object.get("key")?,
            _ => step,
        };
        let key = if step.is_symbol() { "(symbol)".to_owned() } else { to_text(ctx, step.clone())? };
        if step.is_number() {
            text.push_str(&format!("[{key}]"));
        } else {
            if !text.is_empty() {
                text.push('.');
            }
            text.push_str(&key);
        }
        keys.push(key);
    }
    Ok((text, keys))
}
