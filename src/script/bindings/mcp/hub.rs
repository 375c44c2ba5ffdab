//! The connections of an engine: made when a prompt first needs one, ended with the run. Must not know who needs them.

use std::{borrow::Cow, cell::RefCell, rc::Rc};

use rquickjs::{Ctx, JsLifetime, Result};

use crate::{
    mcp::{Connection, Hub, McpEnvironment, Program, Server},
    permission::Access,
    sandbox,
    script::{
        Engine,
        bindings::{prompt::mcp_use::McpPlan, services},
        gate, user_data,
    },
};

#[derive(Default, JsLifetime)]
struct Kept(RefCell<Option<Rc<Hub>>>);

/// Makes the place for it; done once an engine.
pub(crate) fn install(ctx: &Ctx<'_>) -> Result<()> {
    user_data::store(ctx, Kept::default())
}

/// Ends all connections, and the servers that are programs of ours.
pub(crate) async fn close(engine: &Engine) {
    let hub = engine.context().with(|ctx| user_data::read::<Kept>(&ctx).ok().and_then(|kept| kept.0.take())).await;
    if let Some(hub) = hub {
        hub.close().await;
    }
}

/// The connection to a server. Throws a `PermissionError` where it may not be reached.
pub(super) fn connection(ctx: &Ctx<'_>, plan: &McpPlan) -> Result<Rc<Connection>> {
    let server = checked(ctx, &plan.server)?;
    let kept = user_data::read::<Kept>(ctx)?.0.borrow().clone();
    let hub = match kept {
        Some(hub) => hub,
        None => {
            let hub = Rc::new(Hub::new(surroundings(ctx)?));
            user_data::read::<Kept>(ctx)?.0.replace(Some(hub.clone()));
            hub
        }
    };
    // What the script has written to `process.env` counts.
    services::read_environment(ctx)?;
    let connection = hub.connection(&plan.name, &server, plan.timeouts);
    // What a server echoes goes into recordings and journals.
    let redactor = services::providers(ctx)?.redactor;
    connection.secrets().for_each(|secret| redactor.learn(secret));
    Ok(connection)
}

/// The server, if it may be reached. Of a restricted script a program is the file that was looked at, and nothing in its
/// environment makes another of it.
fn checked<'a>(ctx: &Ctx<'_>, server: &'a Server) -> Result<Cow<'a, Server>> {
    let Server::Program(program) = server else {
        gate::check(ctx, Access::Network(&server.place()))?;
        return Ok(Cow::Borrowed(server));
    };
    let Some(rights) = gate::restricted(ctx) else {
        gate::check(ctx, Access::Run(&program.command))?;
        return Ok(Cow::Borrowed(server));
    };
    let found = rights.program(&program.command, program.cwd.as_deref());
    let found = found.map_err(|refusal| gate::throw(ctx, refusal))?;
    gate::check_variables(ctx, program.env.keys())?;
    let command = found.map_or_else(|| program.command.clone(), |found| found.display().to_string());
    Ok(Cow::Owned(Server::Program(Program { command, ..program.clone() })))
}

fn surroundings(ctx: &Ctx<'_>) -> Result<McpEnvironment> {
    let env = services::providers(ctx)?.env;
    let own = env.clone();
    let rights = gate::restricted(ctx);
    let shown = rights.clone();
    // `PATH` is what every program that is started gets.
    let is_shown =
        move |name: &str| name == "PATH" || shown.as_ref().is_none_or(|rights| rights.check(Access::Env(name)).is_ok());
    Ok(McpEnvironment {
        supervisor: sandbox::own_program(),
        rights: Box::new(move || rights.as_ref()?.restricted_rights().map(|rights| rights.program_rights())),
        variable: Box::new(move |name| own.get(name).filter(|_| is_shown(name))),
        network: Box::new(move || env.network()),
    })
}
