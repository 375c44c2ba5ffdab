//! Tools and functions defined from the tools of a server, updated before each step.

use std::rc::Rc;

use rquickjs::{Ctx, Result};

use super::{call::executor, hub};
use crate::{
    bindings::{
        code_mode::{declare, functions},
        prompt::{
            call::Call,
            entry::{Callable, Entry, Item, Registry},
            mcp_server::{McpDefinitions, McpServer, McpServerConfig, McpToolKind},
            object::PromptObject,
            recorded,
        },
        values::{
            plain_error,
            schema::{PlainSchema, Schema},
            type_error,
        },
    },
    mcp::{Connection, McpTool, ToolList, UniqueNames, function_name, tool_name},
    plugin::{run_tool_code, search_functions},
    prompt::{DefinitionKind, FunctionDefinition, ToolDefinition, ToolMaker},
};
use lmthing_node::{KeepAlive, warn};
use lmthing_typescript::code::{Declaration, FunctionSignature, is_usable_name};

pub(crate) fn namespace_name(server: &str) -> String {
    to_usable_name(function_name(server), true)
}

/// Prefixes of the tool names that a server will add once it was queried.
pub(crate) fn expected_names(config: &McpServerConfig) -> Vec<String> {
    match config.kind {
        McpToolKind::Tools => vec![tool_name(&config.name, "")],
        McpToolKind::Functions => vec![run_tool_code::NAME.to_owned(), search_functions::NAME.to_owned()],
    }
}

fn to_usable_name(mut name: String, is_top: bool) -> String {
    while !is_usable_name(&name, is_top) {
        name.push('_');
    }
    name
}

pub(super) fn redefine<'js>(call: &Call<'js>, server: &McpServer<'js>) -> Result<()> {
    let Some(definitions) = &server.definitions else { return Ok(()) };
    let (kind, registry) = kind_and_registry(server.config.kind);
    {
        let mut prompt = call.core.prompt.borrow_mut();
        definitions.names.iter().for_each(|name| prompt.define_again(kind, name));
    }
    let prompt = call.prompt.borrow();
    definitions.names.iter().for_each(|name| prompt.bag.set_call_options(registry, name, &server.options));
    if server.config.kind == McpToolKind::Functions {
        functions::define_tool(&call.ctx, &call.core)?;
    }
    Ok(())
}

fn kind_and_registry(kind: McpToolKind) -> (DefinitionKind, Registry) {
    match kind {
        McpToolKind::Tools => (DefinitionKind::DefTool, Registry::Tools),
        McpToolKind::Functions => (DefinitionKind::DefFunction, Registry::Functions),
    }
}

/// Connects to new servers of a prompt, and applies changes of known ones. Throws if a new server cannot be queried.
pub(crate) async fn update_servers<'js>(ctx: &Ctx<'js>, prompt: &PromptObject<'js>) -> Result<()> {
    let servers = prompt.borrow().bag.servers();
    if servers.is_empty() {
        return Ok(());
    }
    for server in servers {
        let connection = match hub::connection(ctx, &server.config) {
            Ok(connection) => connection,
            Err(_) if recorded::is_recording(ctx) => {
                ctx.catch();
                continue;
            }
            Err(error) => return Err(error),
        };
        // The script is idle meanwhile, and that is not a deadlock.
        let alive = KeepAlive::new(ctx)?;
        let list = connection.tools().await;
        drop(alive);
        let list = match list {
            Ok(list) => list,
            // A known server: calls of its tools reconnect or report the problem.
            Err(problem) if server.definitions.is_some() => {
                warn::warning(ctx, &problem.0)?;
                continue;
            }
            Err(problem) => return Err(plain_error(ctx, problem.0)),
        };
        if server.definitions.as_ref().is_some_and(|known| Rc::ptr_eq(&known.list, &list)) {
            continue;
        }
        let known_problems =
            server.definitions.as_ref().map(|known| known.list.problems.as_slice()).unwrap_or_default();
        for problem in list.problems.iter().filter(|problem| !known_problems.contains(problem)) {
            warn::warning(ctx, &connection.message(problem))?;
        }
        define_tools(ctx, prompt, &connection, &server, list)?;
    }
    Ok(())
}

fn define_tools<'js>(
    ctx: &Ctx<'js>,
    prompt: &PromptObject<'js>,
    connection: &Rc<Connection>,
    server: &McpServer<'js>,
    list: Rc<ToolList>,
) -> Result<()> {
    let tools = list.tools.iter().filter(|tool| server.config.patterns.admit(&tool.name));
    let definer = ToolDefiner { ctx, prompt, connection, server };
    let names = match server.config.kind {
        McpToolKind::Tools => definer.tools(tools)?,
        McpToolKind::Functions => definer.functions(tools)?,
    };
    let definitions = Some(Rc::new(McpDefinitions { list: list.clone(), names }));
    prompt.borrow().bag.set_server(McpServer { definitions, ..server.clone() });
    Ok(())
}

struct ToolDefiner<'a, 'js> {
    ctx: &'a Ctx<'js>,
    prompt: &'a PromptObject<'js>,
    connection: &'a Rc<Connection>,
    server: &'a McpServer<'js>,
}

impl<'js> ToolDefiner<'_, 'js> {
    fn callable(&self, tool: &McpTool) -> Result<Callable<'js>> {
        let schema = |schema: &serde_json::Value| Schema::Plain(PlainSchema::new(schema.clone()));
        Ok(Callable {
            input_schema: schema(&tool.input_schema),
            execute: executor(self.ctx, self.connection.clone(), &tool.name)?,
            options: self.server.options.with_response(tool.output_schema.as_ref().map(schema)),
        })
    }

    /// Returns the names of the defined tools.
    fn tools<'t>(&self, tools: impl Iterator<Item = &'t McpTool>) -> Result<Vec<String>> {
        let server = &self.server.config.name;
        let before = self.server.definitions.as_ref().map(|known| known.names.as_slice()).unwrap_or_default();
        let core = self.prompt.borrow().core.clone();
        let mut names = UniqueNames::default();
        for (name, _) in core.prompt.borrow().tools().filter(|(name, _)| !before.iter().any(|own| own == name)) {
            names.unique(name.to_owned());
        }
        let mut defined_names = Vec::new();
        for tool in tools {
            let name = names.unique(tool_name(server, &tool.name));
            let entry = Entry::Single(self.callable(tool)?);
            let maker = ToolMaker::Mcp(server.as_str().into());
            let definition =
                ToolDefinition { maker, ..ToolDefinition::new(DefinitionKind::DefTool, &*tool.description) };
            let defined = core.prompt.borrow_mut().define_tool(&name, definition);
            defined.map_err(|error| type_error(self.ctx, error.to_string()))?;
            self.prompt.borrow().bag.set_entry(Registry::Tools, &name, entry);
            defined_names.push(name);
        }
        for removed in before.iter().filter(|name| !defined_names.contains(name)) {
            core.prompt.borrow_mut().remove_tool(removed);
            self.prompt.borrow().bag.remove_entry(Registry::Tools, removed);
        }
        Ok(defined_names)
    }

    /// Returns the name of the namespace.
    fn functions<'t>(&self, tools: impl Iterator<Item = &'t McpTool>) -> Result<Vec<String>> {
        let core = self.prompt.borrow().core.clone();
        let (server, before) = (&self.server.config.name, self.server.definitions.as_ref());
        let namespace = namespace_name(server);
        let is_own = before.is_some_and(|known| known.names.contains(&namespace));
        let is_taken = |kind| core.prompt.borrow().functions(kind).any(|(name, _)| name == namespace);
        if !is_own && is_taken(DefinitionKind::DefFunction) {
            let problem =
                format!("defMcp('{server}'): there is a function {namespace} already; call the server otherwise");
            return Err(type_error(self.ctx, problem));
        }
        let mut names = UniqueNames::default();
        let (mut items, mut signatures) = (Vec::new(), Vec::new());
        for tool in tools {
            let name = names.unique(to_usable_name(function_name(&tool.name), false));
            items.push(Item {
                name: name.clone(),
                description: tool.description.clone(),
                callable: self.callable(tool)?,
            });
            signatures.push(FunctionSignature {
                name,
                description: tool.description.clone(),
                input_schema: tool.input_schema.clone(),
                output_schema: tool.output_schema.clone(),
            });
        }
        let declaration =
            Declaration::Namespace { name: namespace.clone(), description: String::new(), functions: signatures };
        declaration.validate().map_err(|error| type_error(self.ctx, error.to_string()))?;
        let definition = FunctionDefinition { kind: DefinitionKind::DefFunction, declaration: Rc::new(declaration) };
        let defined = core.prompt.borrow_mut().define_function(&namespace, definition);
        defined.map_err(|error| type_error(self.ctx, error.to_string()))?;
        self.prompt.borrow().bag.set_entry(Registry::Functions, &namespace, Entry::Composite(items));
        functions::define_tool(self.ctx, &core)?;
        declare::warm(self.ctx, self.prompt, DefinitionKind::DefFunction)?;
        Ok(vec![namespace])
    }
}
