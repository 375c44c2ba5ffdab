//! Modules in `data:` URLs: `import 'data:text/javascript,export default 1'`.

use std::path::Path;

use base64::Engine as _;
use percent_encoding::percent_decode_str;
use rquickjs::module::Declared;
use rquickjs::{Ctx, Module, Result};

use super::json;
use crate::error::ScriptError;

const SCHEME: &str = "data:";

pub(super) fn is(name: &str) -> bool {
    name.starts_with(SCHEME)
}

pub(super) fn is_json(name: &str) -> bool {
    name.strip_prefix(SCHEME).is_some_and(|rest| media_type(rest) == "application/json")
}

/// The media type without parameters: the part before the first `;` or `,`.
fn media_type(rest: &str) -> &str {
    rest.split([';', ',']).next().unwrap_or_default()
}

pub(super) fn declare<'js>(ctx: &Ctx<'js>, name: &str) -> Result<Module<'js, Declared>> {
    let text = text(name).map_err(|failure| failure.throw(ctx))?;
    if is_json(name) {
        return json::declare(ctx, name, Path::new(name), &text);
    }
    let module = Module::declare(ctx.clone(), name, text)?;
    module.meta()?.set("url", name)?;
    Ok(module)
}

fn text(name: &str) -> std::result::Result<String, ScriptError> {
    let rest = name.strip_prefix(SCHEME).unwrap_or(name);
    let media_type = media_type(rest);
    if !["text/javascript", "application/json"].contains(&media_type) {
        return Err(ScriptError::type_error(format!(
            "Cannot import '{name}': its type is '{media_type}', and modules are 'text/javascript' or 'application/json'"
        ))
        .code("ERR_UNKNOWN_MODULE_FORMAT"));
    }
    let invalid = || ScriptError::type_error(format!("'{name}' is not a valid data: URL")).code("ERR_INVALID_URL");
    let (head, body) = rest.split_once(',').ok_or_else(invalid)?;
    let bytes: Vec<u8> = percent_decode_str(body).collect();
    let bytes = match head.ends_with(";base64") {
        true => base64::engine::general_purpose::STANDARD.decode(&bytes).map_err(|_| invalid())?,
        false => bytes,
    };
    String::from_utf8(bytes).map_err(|_| invalid())
}
