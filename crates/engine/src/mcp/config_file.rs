//! Reads files of servers in the common form of MCP programs: `{"mcpServers": {name: {…}}}`.

use std::path::Path;

use serde_json::{Map, Value};

use super::server::{InvalidServer, Server};
use lmthing_base::permission::AccessDenied;
use lmthing_system::user_file;

const STANDARD_FILE: &str = ".mcp.json";

const KEYS: [&str; 2] = ["mcpServers", "servers"];

pub enum ServerLookup {
    Found(Server),
    /// No file has the server; these are the known names.
    Unknown(Vec<String>),
}

/// Looks up a variable.
pub(crate) type Variable<'a> = &'a dyn Fn(&str) -> Result<Option<String>, AccessDenied>;

#[derive(Clone, Copy)]
pub struct ServerFile<'a> {
    path: &'a Path,
    is_required: bool,
    variable: Variable<'a>,
}

impl<'a> ServerFile<'a> {
    /// `variable` looks up `${NAME}`.
    pub fn named(path: &'a Path, variable: Variable<'a>) -> Self {
        ServerFile { path, is_required: true, variable }
    }

    /// `.mcp.json` of the working directory, which need not exist.
    pub fn standard(variable: Variable<'a>) -> Self {
        ServerFile { path: Path::new(STANDARD_FILE), is_required: false, variable }
    }
}

/// Looks a server up in several files, in order.
pub fn find_in_files(name: &str, files: &[ServerFile<'_>]) -> Result<ServerLookup, InvalidServer> {
    let mut known = Vec::new();
    for ServerFile { path, is_required, variable } in files {
        let Some((key, servers)) = read(path, *is_required)? else { continue };
        if let Some(server) = servers.get(name) {
            let place = format!("{}: {key}.{name}", path.display());
            return parse_server(server, Some(*variable))
                .map(ServerLookup::Found)
                .map_err(|problem| InvalidServer(format!("{place} {problem}")));
        }
        known.extend(servers.keys().cloned());
    }
    Ok(ServerLookup::Unknown(known))
}

/// Reads a server from JSON; with `variable`, `${NAME}` and `${NAME:-default}` are replaced.
pub fn parse_server(value: &Value, variable: Option<Variable<'_>>) -> Result<Server, InvalidServer> {
    match variable {
        Some(variable) => Server::from_json(&expanded(value, variable)?),
        None => Server::from_json(value),
    }
}

type Servers = (&'static str, Map<String, Value>);

fn read(path: &Path, is_required: bool) -> Result<Option<Servers>, InvalidServer> {
    let shown = path.display();
    let mut text = match user_file::read_text(path, user_file::MAX_SETTINGS) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound && !is_required => return Ok(None),
        Err(error) => return Err(InvalidServer(format!("{shown} cannot be read: {error}"))),
    };
    // Editors allow comments and trailing commas. Other errors are reported below.
    let _ = json_strip_comments::strip(&mut text);
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let json: Value =
        serde_json::from_str(text).map_err(|error| InvalidServer(format!("{shown} is no JSON: {error}")))?;
    let servers = |key: &'static str| Some((key, json.get(key)?.as_object()?.clone()));
    match KEYS.into_iter().find_map(servers) {
        Some(servers) => Ok(Some(servers)),
        None => Err(InvalidServer(format!(
            "{shown} has no object mcpServers: {{\"mcpServers\": {{\"name\": {{\"command\": …}}}}}}"
        ))),
    }
}

fn expanded(value: &Value, variable: Variable<'_>) -> Result<Value, InvalidServer> {
    Ok(match value {
        Value::String(text) => Value::String(expanded_text(text, variable)?),
        Value::Array(items) => {
            Value::Array(items.iter().map(|item| expanded(item, variable)).collect::<Result<_, _>>()?)
        }
        Value::Object(map) => {
            let pair = |(key, value): (&String, &Value)| Ok((key.clone(), expanded(value, variable)?));
            Value::Object(map.iter().map(pair).collect::<Result<_, InvalidServer>>()?)
        }
        other => other.clone(),
    })
}

fn expanded_text(text: &str, variable: Variable<'_>) -> Result<String, InvalidServer> {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once("${") {
        let Some((inside, after)) = behind.split_once('}') else { break };
        let (name, default) = inside.split_once(":-").map_or((inside, None), |(name, default)| (name, Some(default)));
        if name.starts_with("input:") {
            return Err(InvalidServer(format!(
                "has ${{{name}}}, which only an editor can ask for; write ${{NAME}} and set the variable"
            )));
        }
        let value = value_of(name, variable)
            .map_err(|refusal| InvalidServer(format!("needs the variable {name}: {}", refusal.message)))?
            .filter(|value| !value.is_empty() || default.is_none());
        let value = value.or_else(|| default.map(str::to_owned));
        let Some(value) = value else {
            return Err(InvalidServer(format!("needs the variable {name}, which is not set")));
        };
        out.push_str(before);
        out.push_str(&value);
        rest = after;
    }
    Ok(out + rest)
}

/// A variable in the notations of editors: `env:NAME`, and their predefined names.
fn value_of(name: &str, variable: Variable<'_>) -> Result<Option<String>, AccessDenied> {
    let name = name.strip_prefix("env:").unwrap_or(name);
    let place = match name {
        "workspaceFolder" | "cwd" => std::env::current_dir().ok().map(|folder| folder.display().to_string()),
        "userHome" => variable("HOME")?,
        "pathSeparator" | "/" => Some(std::path::MAIN_SEPARATOR.to_string()),
        _ => return variable(name),
    };
    // A variable of this name has precedence, unless it may not be read.
    Ok(variable(name).ok().flatten().or(place))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_put_in() {
        let variable = |name: &str| Ok((name == "A").then(|| "1".to_owned()));
        let expand = |text| expanded_text(text, &variable);
        assert_eq!(expand("x${A}y${B:-2}${A:-3}$"), Ok("x1y21$".to_owned()));
        assert_eq!(expand("${B}"), Err("needs the variable B, which is not set".into()));
        assert_eq!(expand("${A"), Ok("${A".to_owned()));
        assert_eq!(expand("${env:A}${env:B:-2}"), Ok("12".to_owned()));
        assert!(expand("${workspaceFolder}").is_ok_and(|folder| Path::new(&folder).is_absolute()));
        assert!(expand("${input:key}").is_err_and(|problem| problem.0.contains("only an editor can ask for")));
    }
}
