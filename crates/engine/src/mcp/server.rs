//! The settings of a server, from a prompt file or an `mcp.json`.

use std::{collections::BTreeMap, path::PathBuf};

use serde_json::{Map, Value};
use thiserror::Error;
use url::Url;

/// A server. It has no `Debug` because its environment and headers contain secrets.
#[derive(Clone, PartialEq, Eq)]
pub enum Server {
    Program(Program),
    Http(HttpServer),
}

#[derive(Clone, PartialEq, Eq)]
pub struct Program {
    /// A path, or a name that is looked up in `PATH`.
    pub command: String,
    pub args: Vec<String>,
    /// Variables in addition to those that every program gets.
    pub env: BTreeMap<String, String>,
    /// The working directory; that of this process unless set.
    pub cwd: Option<PathBuf>,
}

#[derive(Clone, PartialEq, Eq)]
pub struct HttpServer {
    /// `http` or `https`.
    pub url: Url,
    pub headers: BTreeMap<String, String>,
}

/// What is wrong with the settings of a server, as the end of a sentence.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{0}")]
pub struct InvalidServer(pub String);

impl From<&str> for InvalidServer {
    fn from(problem: &str) -> Self {
        InvalidServer(problem.to_owned())
    }
}

impl Server {
    /// Reads `{command, args, env, cwd}` or `{url, headers}`. Unknown keys are ignored, because other programs use the same files.
    pub fn from_json(value: &Value) -> Result<Self, InvalidServer> {
        let shape = "{ command, args, env, cwd } or { url, headers }";
        let Some(given) = value.as_object() else { return Err(InvalidServer(format!("must be {shape}"))) };
        let is_there = |key: &str| given.get(key).is_some_and(|value| !value.is_null());
        match (is_there("command"), is_there("url")) {
            (true, false) => program(given).map(Server::Program),
            (false, true) => http_server(given).map(Server::Http),
            (true, true) => Err("has both command and url; a server is one or the other".into()),
            (false, false) => Err(InvalidServer(format!("has neither command nor url; it must be {shape}"))),
        }
    }

    /// A placeholder for a server of which only the name is known; it cannot be reached.
    pub fn unknown(name: &str) -> Self {
        let program = Program { command: name.to_owned(), args: Vec::new(), env: BTreeMap::new(), cwd: None };
        Server::Program(program)
    }

    /// The program or the origin of the URL, for messages. Contains no secrets.
    pub fn place(&self) -> String {
        match self {
            Server::Program(program) => program.command.clone(),
            Server::Http(server) => server.url.origin().ascii_serialization(),
        }
    }
}

fn program(given: &Map<String, Value>) -> Result<Program, InvalidServer> {
    let command = text(given, "command")?.unwrap_or_default();
    if command.trim().is_empty() {
        return Err("command is empty".into());
    }
    let args = match given.get("args").filter(|args| !args.is_null()) {
        None => Vec::new(),
        Some(args) => {
            let items = args.as_array().map(|items| items.iter().map(scalar).collect::<Option<Vec<_>>>());
            items.flatten().ok_or("args must be an array of strings")?
        }
    };
    let cwd = text(given, "cwd")?.map(PathBuf::from);
    Ok(Program { command, args, env: texts(given, "env")?, cwd })
}

fn http_server(given: &Map<String, Value>) -> Result<HttpServer, InvalidServer> {
    let address = text(given, "url")?.unwrap_or_default();
    let url = Url::parse(&address).map_err(|error| InvalidServer(format!("url is no address: {error}")))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(InvalidServer(format!("url must begin with http:// or https://, got {}:", url.scheme())));
    }
    Ok(HttpServer { url, headers: texts(given, "headers")? })
}

fn text(given: &Map<String, Value>, key: &str) -> Result<Option<String>, InvalidServer> {
    match given.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(InvalidServer(format!("{key} must be a string"))),
    }
}

fn texts(given: &Map<String, Value>, key: &str) -> Result<BTreeMap<String, String>, InvalidServer> {
    let wrong = || InvalidServer(format!("{key} must be an object of strings"));
    match given.get(key) {
        None | Some(Value::Null) => Ok(BTreeMap::new()),
        Some(Value::Object(pairs)) => {
            let pair = |(name, value): (&String, &Value)| Some((name.clone(), scalar(value)?));
            pairs.iter().map(pair).collect::<Option<_>>().ok_or_else(wrong)
        }
        Some(_) => Err(wrong()),
    }
}

fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn problem(value: Value) -> String {
        Server::from_json(&value).err().map(|error| error.to_string()).unwrap_or_default()
    }

    #[test]
    fn both_kinds_are_read() {
        let server = json!({"command": "node", "args": ["a.mjs", 5], "env": {"N": 1}, "type": "stdio"});
        let Ok(Server::Program(program)) = Server::from_json(&server) else { panic!("a program") };
        assert_eq!(
            (program.command.as_str(), program.args.as_slice()),
            ("node", ["a.mjs".into(), "5".into()].as_slice())
        );
        assert_eq!(program.env["N"], "1");
        let server = Server::from_json(&json!({"url": "https://mcp.test:8/x?key=1", "headers": {"A": "b"}})).ok();
        assert_eq!(server.expect("a server").place(), "https://mcp.test:8");
    }

    #[test]
    fn mistakes_are_named() {
        assert!(problem(json!("x")).starts_with("must be { command"));
        assert!(problem(json!({})).starts_with("has neither command nor url"));
        assert!(problem(json!({"command": "a", "url": "http://b"})).starts_with("has both"));
        assert_eq!(problem(json!({"command": "a", "args": [{}]})), "args must be an array of strings");
        assert_eq!(problem(json!({"url": "ftp://a"})), "url must begin with http:// or https://, got ftp:");
    }
}
