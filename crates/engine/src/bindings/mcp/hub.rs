//! The MCP connections of an engine.

use std::{borrow::Cow, cell::RefCell, rc::Rc};

use rquickjs::{Ctx, JsLifetime, Result};

use crate::{
    bindings::{prompt::mcp_server::McpServerConfig, services},
    mcp::{Connection, Hub, McpEnvironment, Program, Server},
};
use lmthing_base::permission::Access;
use lmthing_node::{Engine, gate, user_data};
use lmthing_typescript::sandbox;

#[derive(Default, JsLifetime)]
struct HubSlot(RefCell<Option<Rc<Hub>>>);

pub(crate) fn install(ctx: &Ctx<'_>) -> Result<()> {
    user_data::store(ctx, HubSlot::default())
}

pub async fn close(engine: &Engine) {
    let hub = engine.context().with(|ctx| user_data::read::<HubSlot>(&ctx).ok().and_then(|slot| slot.0.take())).await;
    if let Some(hub) = hub {
        hub.close().await;
    }
}

pub(super) fn connection(ctx: &Ctx<'_>, config: &McpServerConfig) -> Result<Rc<Connection>> {
    let server = check_access(ctx, &config.server)?;
    let existing = user_data::read::<HubSlot>(ctx)?.0.borrow().clone();
    let hub = match existing {
        Some(hub) => hub,
        None => {
            let hub = Rc::new(Hub::new(surroundings(ctx)?));
            user_data::read::<HubSlot>(ctx)?.0.replace(Some(hub.clone()));
            hub
        }
    };
    // The script may have changed `process.env`.
    services::refresh_environment(ctx)?;
    let connection = hub.connection(&config.name, &server, config.timeouts);
    // Output of a server may repeat its secrets, and goes into recordings and journals.
    let redactor = services::providers(ctx)?.redactor;
    connection.secrets().for_each(|secret| redactor.learn(secret));
    Ok(connection)
}

/// Checks access to the server. For a restricted script, the program is resolved to the checked file, and its
/// variables are checked as well, as some can change which code runs.
fn check_access<'a>(ctx: &Ctx<'_>, server: &'a Server) -> Result<Cow<'a, Server>> {
    let Server::Program(program) = server else {
        gate::check(ctx, Access::Network(&server.place()))?;
        return Ok(Cow::Borrowed(server));
    };
    let Some(rights) = gate::restricted(ctx) else {
        gate::check(ctx, Access::Run(&program.command))?;
        return Ok(Cow::Borrowed(server));
    };
    let found = rights.program(&program.command, program.cwd.as_deref());
    let found = found.map_err(|refusal| gate::throw_denied(ctx, refusal))?;
    gate::check_variables(ctx, program.env.keys())?;
    let command = found.map_or_else(|| program.command.clone(), |found| found.display().to_string());
    Ok(Cow::Owned(Server::Program(Program { command, ..program.clone() })))
}

fn surroundings(ctx: &Ctx<'_>) -> Result<McpEnvironment> {
    let env = services::providers(ctx)?.env;
    let own = env.clone();
    let rights = gate::restricted(ctx);
    let shown = rights.clone();
    // Every program receives `PATH`.
    let is_shown =
        move |name: &str| name == "PATH" || shown.as_ref().is_none_or(|rights| rights.check(Access::Env(name)).is_ok());
    Ok(McpEnvironment {
        supervisor: sandbox::own_program(),
        rights: Box::new(move || rights.as_ref()?.restricted_rights().map(|rights| rights.program_rights())),
        variable: Box::new(move |name| own.get(name).filter(|_| is_shown(name))),
        network: Box::new(move || env.network()),
    })
}
