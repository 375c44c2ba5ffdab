//! Variables that a file of MCP servers may use.
//!
//! The author of such a file decides which server receives a variable. So in a file that a restricted prompt file
//! could have written, only the variables that the prompt file may read are available.

use std::{cell::Cell, path::Path, rc::Rc};

use rquickjs::{Ctx, Result};

use crate::bindings::services;
use lmthing_base::permission::{Access, AccessDenied, Permissions};
use lmthing_node::gate;
use lmthing_providers::Env;

pub(super) struct FileVariables {
    env: Rc<dyn Env>,
    /// `None` for a prompt file without restrictions.
    rights: Option<Permissions>,
    refused: Cell<bool>,
}

type VariableResult = std::result::Result<Option<String>, AccessDenied>;

impl FileVariables {
    pub(super) fn of(ctx: &Ctx<'_>) -> Result<Self> {
        let env = services::providers(ctx)?.env;
        Ok(FileVariables { env, rights: gate::restricted(ctx), refused: Cell::default() })
    }

    pub(super) fn is_refused(&self) -> bool {
        self.refused.get()
    }

    /// A variable for a file that was found, not named by the user.
    pub(super) fn for_any_file(&self, name: &str) -> VariableResult {
        if let Some(Err(refusal)) = self.rights.as_ref().map(|rights| rights.check(Access::Env(name))) {
            self.refused.set(true);
            let advice = "or name a file of servers with --mcp-config that the prompt file cannot write to";
            return Err(AccessDenied { message: format!("{}; {advice}", refusal.message) });
        }
        Ok(self.env.get(name))
    }

    /// A variable for the file that the user named. Unrestricted, unless the prompt file can change that file.
    pub(super) fn for_user_file(&self, file: Option<&Path>, name: &str) -> VariableResult {
        match (file, &self.rights) {
            (Some(file), Some(rights)) if !can_change(rights, file) => Ok(self.env.get(name)),
            _ => self.for_any_file(name),
        }
    }
}

fn can_change(rights: &Permissions, file: &Path) -> bool {
    let may = |path: &Path| {
        let path = path.to_string_lossy();
        rights.check(Access::WriteEntry(&path)).is_ok() || rights.check(Access::Write(&path)).is_ok()
    };
    file.ancestors().any(may)
}
