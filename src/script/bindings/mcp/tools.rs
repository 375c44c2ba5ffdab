//! Tools and functions made of what a server offers, before each step and as the server has it then. Must not know what a call
//! does.

use std::rc::Rc;

use rquickjs::{Ctx, Result};

use super::{call::executor, hub};
use crate::{
    code::{Declaration, FunctionSignature, is_usable_name},
    mcp::{Connection, McpTool, ToolList, UniqueNames, function_name, tool_name},
    plugin::{run_tool_code, search_functions},
    prompt::{DefinitionKind, FunctionDefinition, ToolDefinition, ToolMaker},
    script::{
        KeepAlive,
        bindings::{
            code_mode::{declare, functions},
            prompt::{
                call::Call,
                doubles,
                entry::{Callable, Entry, Item, Shelf},
                mcp_use::{Made, McpPlan, McpShape, McpUse},
                object::PromptObject,
            },
            values::{
                plain_error,
                schema::{PlainSchema, Schema},
                type_error,
            },
        },
        warn,
    },
};

/// What code calls the namespace of a server.
pub(crate) fn namespace_name(server: &str) -> String {
    usable(function_name(server), true)
}

/// How the names of tools begin that a prompt has once the server was asked.
pub(crate) fn to_come(plan: &McpPlan) -> Vec<String> {
    match plan.shape {
        McpShape::Tools => vec![tool_name(&plan.name, "")],
        McpShape::Functions => vec![run_tool_code::NAME.to_owned(), search_functions::NAME.to_owned()],
    }
}

fn usable(mut name: String, is_top: bool) -> String {
    while !is_usable_name(&name, is_top) {
        name.push('_');
    }
    name
}

/// A re-run has named a server again: what was made of its tools stays, with the callbacks of this run.
pub(super) fn define_again<'js>(call: &Call<'js>, server: &McpUse<'js>) -> Result<()> {
    let Some(made) = &server.made else { return Ok(()) };
    let (kind, shelf) = of(server.plan.shape);
    {
        let mut prompt = call.core.prompt.borrow_mut();
        made.names.iter().for_each(|name| prompt.define_again(kind, name));
    }
    let prompt = call.prompt.borrow();
    made.names.iter().for_each(|name| prompt.bag.set_call_options(shelf, name, &server.options));
    if server.plan.shape == McpShape::Functions {
        functions::define_tool(&call.ctx, &call.core)?;
    }
    Ok(())
}

fn of(shape: McpShape) -> (DefinitionKind, Shelf) {
    match shape {
        McpShape::Tools => (DefinitionKind::DefTool, Shelf::Tools),
        McpShape::Functions => (DefinitionKind::DefFunction, Shelf::Functions),
    }
}

/// Connects to the servers of a prompt that it has not been connected to, and takes over what has changed at the others. Throws
/// what keeps a server from being asked.
pub(crate) async fn settle<'js>(ctx: &Ctx<'js>, prompt: &PromptObject<'js>) -> Result<()> {
    let servers = prompt.borrow().bag.servers();
    if servers.is_empty() {
        return Ok(());
    }
    for server in servers {
        let connection = match hub::connection(ctx, &server.plan) {
            Ok(connection) => connection,
            // What was refused is noted, and the rest can be looked at all the same.
            Err(_) if doubles::is_watched(ctx) => {
                ctx.catch();
                continue;
            }
            Err(error) => return Err(error),
        };
        // What is waited for is another process, not the script.
        let alive = KeepAlive::new(ctx)?;
        let list = connection.tools().await;
        drop(alive);
        let list = match list {
            Ok(list) => list,
            // It was there before: a call of its tools says what is wrong, or finds it back.
            Err(problem) if server.made.is_some() => {
                warn::warning(ctx, &problem)?;
                continue;
            }
            Err(problem) => return Err(plain_error(ctx, problem)),
        };
        if server.made.as_ref().is_some_and(|made| Rc::ptr_eq(&made.list, &list)) {
            continue;
        }
        let told = server.made.as_ref().map(|made| made.list.problems.as_slice()).unwrap_or_default();
        for problem in list.problems.iter().filter(|problem| !told.contains(problem)) {
            warn::warning(ctx, &connection.message(problem))?;
        }
        make(ctx, prompt, &connection, &server, list)?;
    }
    Ok(())
}

fn make<'js>(
    ctx: &Ctx<'js>,
    prompt: &PromptObject<'js>,
    connection: &Rc<Connection>,
    server: &McpUse<'js>,
    list: Rc<ToolList>,
) -> Result<()> {
    let tools = list.tools.iter().filter(|tool| server.plan.patterns.admit(&tool.name));
    let maker = Maker { ctx, prompt, connection, server };
    let names = match server.plan.shape {
        McpShape::Tools => maker.tools(tools)?,
        McpShape::Functions => maker.functions(tools)?,
    };
    let made = Some(Rc::new(Made { list: list.clone(), names }));
    prompt.borrow().bag.set_server(McpUse { made, ..server.clone() });
    Ok(())
}

struct Maker<'a, 'js> {
    ctx: &'a Ctx<'js>,
    prompt: &'a PromptObject<'js>,
    connection: &'a Rc<Connection>,
    server: &'a McpUse<'js>,
}

impl<'js> Maker<'_, 'js> {
    fn callable(&self, tool: &McpTool) -> Result<Callable<'js>> {
        let schema = |schema: &serde_json::Value| Schema::Plain(PlainSchema::new(schema.clone()));
        Ok(Callable {
            input_schema: schema(&tool.input_schema),
            execute: executor(self.ctx, self.connection.clone(), &tool.name)?,
            options: self.server.options.with_response(tool.output_schema.as_ref().map(schema)),
        })
    }

    /// Tools in the place of those that the server had; gives their names.
    fn tools<'t>(&self, tools: impl Iterator<Item = &'t McpTool>) -> Result<Vec<String>> {
        let server = &self.server.plan.name;
        let before = self.server.made.as_ref().map(|made| made.names.as_slice()).unwrap_or_default();
        let core = self.prompt.borrow().core.clone();
        let mut names = UniqueNames::default();
        for (name, _) in core.prompt.borrow().tools().filter(|(name, _)| !before.iter().any(|own| own == name)) {
            names.unique(name.to_owned());
        }
        let mut made = Vec::new();
        for tool in tools {
            let name = names.unique(tool_name(server, &tool.name));
            let entry = Entry::Single(self.callable(tool)?);
            let maker = ToolMaker::Mcp(server.as_str().into());
            let definition =
                ToolDefinition { maker, ..ToolDefinition::new(DefinitionKind::DefTool, &*tool.description) };
            let defined = core.prompt.borrow_mut().define_tool(&name, definition);
            defined.map_err(|error| type_error(self.ctx, error.to_string()))?;
            self.prompt.borrow().bag.set_entry(Shelf::Tools, &name, entry);
            made.push(name);
        }
        for gone in before.iter().filter(|name| !made.contains(name)) {
            core.prompt.borrow_mut().remove_tool(gone);
            self.prompt.borrow().bag.remove_entry(Shelf::Tools, gone);
        }
        Ok(made)
    }

    /// The namespace of the server, in the place of the one it had; gives its name.
    fn functions<'t>(&self, tools: impl Iterator<Item = &'t McpTool>) -> Result<Vec<String>> {
        let core = self.prompt.borrow().core.clone();
        let (server, before) = (&self.server.plan.name, self.server.made.as_ref());
        let namespace = namespace_name(server);
        let is_own = before.is_some_and(|made| made.names.contains(&namespace));
        let is_taken = |kind| core.prompt.borrow().functions(kind).any(|(name, _)| name == namespace);
        if !is_own && is_taken(DefinitionKind::DefFunction) {
            let problem =
                format!("defMcp('{server}'): there is a function {namespace} already; call the server otherwise");
            return Err(type_error(self.ctx, problem));
        }
        let mut names = UniqueNames::default();
        let (mut items, mut signatures) = (Vec::new(), Vec::new());
        for tool in tools {
            let name = names.unique(usable(function_name(&tool.name), false));
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
        self.prompt.borrow().bag.set_entry(Shelf::Functions, &namespace, Entry::Composite(items));
        functions::define_tool(self.ctx, &core)?;
        declare::warm(self.ctx, self.prompt, DefinitionKind::DefFunction)?;
        Ok(vec![namespace])
    }
}
