//! `defMcp(name, server, options?)`: reads its arguments, without connecting.

use std::{rc::Rc, time::Duration};

use rquickjs::{Ctx, Object, Result, Value};

use super::{file_variables::FileVariables, reference::McpReference, tools};
use crate::{
    bindings::{
        prompt::{
            call::Call,
            entry::{CALLBACKS, CallOptions},
            known_options,
            mcp_server::{McpServer, McpServerConfig, McpToolKind},
            recorded,
        },
        services,
        values::{elements, kind_of, property, to_json, type_error},
    },
    mcp::{InvalidServer, Server, ServerFile, ServerLookup, Timeouts, ToolFilter, find_in_files, parse_server},
    prompt::DefinitionKind,
};
use lmthing_base::permission::AccessDenied;
use lmthing_node::gate;

const OPTIONS: &[&str] = &[
    "as",
    "include",
    "exclude",
    "needsApproval",
    "timeout",
    "callTimeout",
    "repeat",
    "beforeCall",
    "onSuccess",
    "onError",
];

/// `defMcp(name, server, options?)`: the tools of an MCP server. `server` is `{command, args, env, cwd}`, `{url,
/// headers}`, or a name from `config.mcpServers` or an `mcp.json`. Rules: docs/reference/mcp-client.md.
pub(crate) fn def_mcp(call: Call<'_>) -> Result<Value<'_>> {
    let ctx = &call.ctx;
    let name = call.string(0, "defMcp: the name")?;
    let place = format!("defMcp('{name}')");
    let server = server(&call, &place)?;
    let given = call.arg(2);
    let options = CallOptions::read(ctx, &given, &place)?;
    let mut config = McpServerConfig {
        name: name.clone(),
        server,
        timeouts: Timeouts::default(),
        kind: McpToolKind::Tools,
        patterns: ToolFilter::default(),
    };
    if let Some(given) = &options.given {
        read_options(ctx, given, &place, &mut config)?;
    }
    recorded::record(ctx, &call.prompt, DefinitionKind::DefMcp, &name)?;
    let defined = call.core.prompt.borrow_mut().define_server(&name);
    defined.map_err(|error| type_error(ctx, error.to_string()))?;
    let before = call.prompt.borrow().bag.server(&name);
    let unchanged = before.filter(|before| *before.config == config);
    let config = unchanged.as_ref().map_or_else(|| Rc::new(config), |known| known.config.clone());
    let server =
        McpServer { options, config: config.clone(), definitions: unchanged.and_then(|known| known.definitions) };
    tools::redefine(&call, &server)?;
    call.prompt.borrow().bag.set_server(server);
    McpReference::create(ctx, &call.core, config)
}

fn server(call: &Call<'_>, place: &str) -> Result<Server> {
    let ctx = &call.ctx;
    let given = call.arg(1);
    let wrong = |problem: String| type_error(ctx, format!("{place}: {problem}"));
    let Some(name) = given.as_string() else {
        if given.as_object().is_none() || given.is_array() || given.is_function() {
            let shape = "{ command, args, env, cwd }, { url, headers } or the name of a server";
            return Err(wrong(format!("the server must be {shape}, got {}", kind_of(&given))));
        }
        let given = to_json(ctx, &given)?;
        return Server::from_json(&given).map_err(|problem| wrong(format!("the server: {problem}")));
    };
    let name = name.to_string()?;
    let named = services::mcp_config(ctx)?;
    let servers = call.core.mcp_servers.borrow().clone();
    // `--mcp-config` takes precedence over the prompt file, which takes precedence over an `mcp.json`.
    let (typed, own) = (named.as_deref(), servers.get(&name));
    if let (None, Some(own)) = (typed, own) {
        return server_of_config(own, &name).map_err(|problem| wrong(problem.0));
    }
    let variables = FileVariables::of(ctx)?;
    let user_file_variable = |name: &str| variables.for_user_file(typed, name);
    let any_file_variable = |name: &str| variables.for_any_file(name);
    let typed = typed.map(|path| ServerFile::named(path, &user_file_variable));
    let standard = own.is_none().then(|| ServerFile::standard(&any_file_variable));
    let found = find_in_files(&name, &typed.into_iter().chain(standard).collect::<Vec<_>>());
    let found = found.map_err(|problem| match variables.is_refused() {
        true => gate::throw_denied(ctx, AccessDenied { message: format!("{place}: {problem}") }),
        false => wrong(problem.0),
    });
    match (found?, own) {
        (ServerLookup::Found(server), _) => Ok(server),
        (ServerLookup::Unknown(_), Some(own)) => server_of_config(own, &name).map_err(|problem| wrong(problem.0)),
        // The server may be named in a file that is given when the prompt runs.
        (ServerLookup::Unknown(_), None) if recorded::is_recording(ctx) => Ok(Server::unknown(&name)),
        (ServerLookup::Unknown(known), None) => {
            let known: Vec<&str> = servers.keys().chain(&known).map(String::as_str).collect();
            let known = if known.is_empty() { String::new() } else { format!("; there are: {}", known.join(", ")) };
            let places = "config.mcpServers, the file of --mcp-config or .mcp.json";
            Err(wrong(format!("there is no server '{name}' in {places}{known}")))
        }
    }
}

fn server_of_config(given: &serde_json::Value, name: &str) -> std::result::Result<Server, InvalidServer> {
    // A prompt file is code and reads variables itself.
    parse_server(given, None).map_err(|problem| InvalidServer(format!("config.mcpServers.{name}: {problem}")))
}

fn read_options<'js>(ctx: &Ctx<'js>, given: &Object<'js>, place: &str, config: &mut McpServerConfig) -> Result<()> {
    known_options::check(ctx, given, &format!("{place}: options"), OPTIONS)?;
    debug_assert!(CALLBACKS.iter().all(|name| OPTIONS.contains(name)));
    let wrong = |name: &str, wanted: &str, value: &Value<'js>| {
        type_error(ctx, format!("{place}: options.{name} must be {wanted}, got {}", kind_of(value)))
    };
    if let Some(shape) = property(given, "as")? {
        config.kind = match shape.as_string().map(rquickjs::String::to_string).transpose()?.as_deref() {
            Some("tools") => McpToolKind::Tools,
            Some("functions") => McpToolKind::Functions,
            _ => return Err(wrong("as", "'tools' or 'functions'", &shape)),
        };
    }
    let patterns = |name: &str| -> Result<Option<Vec<String>>> {
        let Some(value) = property(given, name)? else { return Ok(None) };
        if let Some(one) = value.as_string() {
            return Ok(Some(vec![one.to_string()?]));
        }
        let wrong = || wrong(name, "a glob or an array of globs", &value);
        let list = value.as_array().ok_or_else(wrong)?;
        let text = |item: Value<'js>| item.as_string().ok_or_else(wrong)?.to_string();
        elements(list)?.into_iter().map(text).collect::<Result<_>>().map(Some)
    };
    config.patterns = ToolFilter { include: patterns("include")?, exclude: patterns("exclude")?.unwrap_or_default() };
    let span = |name: &str, default: Duration| -> Result<Duration> {
        let Some(value) = property(given, name)? else { return Ok(default) };
        let milliseconds = value.as_number().filter(|number| *number > 0.0);
        let span = milliseconds.and_then(|number| Duration::try_from_secs_f64(number / 1000.0).ok());
        span.ok_or_else(|| wrong(name, "milliseconds above 0", &value))
    };
    let Timeouts { start, call } = config.timeouts;
    config.timeouts = Timeouts { start: span("timeout", start)?, call: span("callTimeout", call)? };
    Ok(())
}
