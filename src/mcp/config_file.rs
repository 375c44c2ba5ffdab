//! Files that name servers, in the shape that most programs with MCP read: `{"mcpServers": {name: {…}}}`. Must not know who
//! asks for a server.

use std::path::Path;

use serde_json::{Map, Value};

use super::server::Server;

/// The file that is looked at in the working directory.
const STANDARD_FILE: &str = ".mcp.json";

/// Looks a server up: in the file that was named, then, where `looks_around`, in `.mcp.json` of the working directory.
///
/// # Errors
/// The file that was named cannot be read, or what stands there is no server.
pub(crate) fn find_in_files(
    name: &str,
    named: Option<&Path>,
    looks_around: bool,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<Option<Server>, String> {
    let standard = looks_around.then(|| (Path::new(STANDARD_FILE), false));
    for (path, must_be_there) in named.map(|path| (path, true)).into_iter().chain(standard) {
        let Some(servers) = read(path, must_be_there)? else { continue };
        if let Some(server) = servers.get(name) {
            let place = format!("{}: mcpServers.{name}", path.display());
            return server_of(server, Some(variable)).map(Some).map_err(|problem| format!("{place} {problem}"));
        }
    }
    Ok(None)
}

/// Finds a variable.
type Variable<'a> = &'a dyn Fn(&str) -> Option<String>;

/// A server as JSON; with variables, `${NAME}` and `${NAME:-default}` are replaced by them.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn server_of(value: &Value, variable: Option<Variable<'_>>) -> Result<Server, String> {
    match variable {
        Some(variable) => Server::from_json(&expanded(value, variable)?),
        None => Server::from_json(value),
    }
}

fn read(path: &Path, must_be_there: bool) -> Result<Option<Map<String, Value>>, String> {
    let shown = path.display();
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound && !must_be_there => return Ok(None),
        Err(error) => return Err(format!("{shown} cannot be read: {error}")),
    };
    let json: Value = serde_json::from_str(&text).map_err(|error| format!("{shown} is no JSON: {error}"))?;
    match json.get("mcpServers").and_then(Value::as_object) {
        Some(servers) => Ok(Some(servers.clone())),
        None => Err(format!("{shown} has no object mcpServers: {{\"mcpServers\": {{\"name\": {{\"command\": …}}}}}}")),
    }
}

fn expanded(value: &Value, variable: &dyn Fn(&str) -> Option<String>) -> Result<Value, String> {
    Ok(match value {
        Value::String(text) => Value::String(expanded_text(text, variable)?),
        Value::Array(items) => {
            Value::Array(items.iter().map(|item| expanded(item, variable)).collect::<Result<_, _>>()?)
        }
        Value::Object(map) => {
            let pair = |(key, value): (&String, &Value)| Ok((key.clone(), expanded(value, variable)?));
            Value::Object(map.iter().map(pair).collect::<Result<_, String>>()?)
        }
        other => other.clone(),
    })
}

fn expanded_text(text: &str, variable: &dyn Fn(&str) -> Option<String>) -> Result<String, String> {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once("${") {
        let Some((inside, after)) = behind.split_once('}') else { break };
        let (name, default) = inside.split_once(":-").map_or((inside, None), |(name, default)| (name, Some(default)));
        let value = variable(name).filter(|value| !value.is_empty() || default.is_none());
        let value = value.or_else(|| default.map(str::to_owned));
        let Some(value) = value else { return Err(format!("needs the variable {name}, which is not set")) };
        out.push_str(before);
        out.push_str(&value);
        rest = after;
    }
    Ok(out + rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_put_in() {
        let variable = |name: &str| (name == "A").then(|| "1".to_owned());
        let expand = |text| expanded_text(text, &variable);
        assert_eq!(expand("x${A}y${B:-2}${A:-3}$"), Ok("x1y21$".to_owned()));
        assert_eq!(expand("${B}"), Err("needs the variable B, which is not set".to_owned()));
        assert_eq!(expand("${A"), Ok("${A".to_owned()));
    }
}
