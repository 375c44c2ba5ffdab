//! Describes what code threw: the bare message, and the message with its kind and line.

use rquickjs::{Ctx, Object, Value};

use super::intrinsics::Intrinsics;
use crate::code::{BODY_FILE, LineMap};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Thrown {
    pub error: String,
    /// `TypeError: … (line 3)` with the source line.
    pub message: String,
}

impl Thrown {
    pub(super) fn plain(error: impl Into<String>) -> Self {
        let error = error.into();
        Self { message: error.clone(), error }
    }
}

/// The line and column, from 1, of the first stack frame in the code.
pub(super) fn position_in_stack(stack: &str, lines: &LineMap) -> Option<(u32, u32)> {
    stack.split(BODY_FILE).skip(1).find_map(|rest| {
        let mut numbers = rest.strip_prefix(':')?.split(|character: char| !character.is_ascii_digit());
        let line = numbers.next()?.parse().ok()?;
        let column = numbers.next().and_then(|column| column.parse().ok()).unwrap_or(1);
        lines.original(line, column)
    })
}

/// Describes a thrown value. Getters may run code; the caller's clock limits that.
pub(super) fn describe<'js>(
    ctx: &Ctx<'js>,
    intrinsics: &Intrinsics<'js>,
    value: &Value<'js>,
    lines: &LineMap,
    code: &str,
) -> Thrown {
    let Some(object) = value.as_object().filter(|object| object.is_error()) else {
        let error = intrinsics.inspect(ctx, value);
        return Thrown { message: format!("The code threw a value that is no Error: {error}"), error };
    };
    let text = |name: &str| property_text(ctx, intrinsics, object, name);
    let name = text("name").filter(|name| !name.is_empty()).unwrap_or_else(|| "Error".to_owned());
    let error = text("message").filter(|message| !message.is_empty()).unwrap_or_else(|| name.clone());
    let place = text("stack").and_then(|stack| position_in_stack(&stack, lines));
    let mut message = if error == name { name } else { format!("{name}: {error}") };
    if let Some((line, _)) = place {
        let source = code.lines().nth(line as usize - 1).unwrap_or_default().trim();
        // Truncated, as one line may be all of the code.
        let source: String = source.chars().take(300).collect();
        message.push_str(&format!("\n    at line {line}: {source}"));
    }
    Thrown { error, message }
}

fn property_text<'js>(
    ctx: &Ctx<'js>,
    intrinsics: &Intrinsics<'js>,
    object: &Object<'js>,
    name: &str,
) -> Option<String> {
    match object.get::<_, Value<'js>>(name) {
        Ok(value) => value.as_string().and_then(|text| intrinsics.text(ctx, text).ok()),
        Err(_) => {
            ctx.catch();
            None
        }
    }
}
