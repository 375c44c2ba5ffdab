//! Which variables a file that names servers may fill in. Whoever writes such a file decides who is sent what stands there: in
//! one that a restricted prompt file could have written, there is no variable that the prompt file does not see itself. Must not
//! know what is filled in.

use std::{cell::Cell, path::Path, rc::Rc};

use rquickjs::{Ctx, Result};

use crate::{
    permission::{Access, Permissions},
    provider::Env,
    script::{bindings::services, gate},
};

/// The variables of the run, for files that name servers.
pub(super) struct FileVariables {
    env: Rc<dyn Env>,
    /// Of a restricted prompt file.
    rights: Option<Permissions>,
    refused: Cell<bool>,
}

type Found = std::result::Result<Option<String>, String>;

impl FileVariables {
    pub(super) fn of(ctx: &Ctx<'_>) -> Result<Self> {
        let env = services::providers(ctx)?.env;
        Ok(FileVariables { env, rights: gate::restricted(ctx), refused: Cell::default() })
    }

    /// Whether a variable was asked for that the prompt file may not see.
    pub(super) fn is_refused(&self) -> bool {
        self.refused.get()
    }

    /// In a file that nobody has named.
    pub(super) fn in_any_file(&self, name: &str) -> Found {
        if let Some(Err(refusal)) = self.rights.as_ref().map(|rights| rights.check(Access::Env(name))) {
            self.refused.set(true);
            let advice = "or name a file of servers with --mcp-config that the prompt file cannot write to";
            return Err(format!("{}; {advice}", refusal.message));
        }
        Ok(self.env.get(name))
    }

    /// In the file that the user has named: as it stands there, unless the prompt file can change it.
    pub(super) fn in_file_of_user(&self, file: Option<&Path>, name: &str) -> Found {
        match (file, &self.rights) {
            (Some(file), Some(rights)) if !can_change(rights, file) => Ok(self.env.get(name)),
            _ => self.in_any_file(name),
        }
    }
}

/// Whether a file, or a folder or a link on the way to it, may be changed.
fn can_change(rights: &Permissions, file: &Path) -> bool {
    let may = |path: &Path| {
        let path = path.to_string_lossy();
        rights.check(Access::WriteEntry(&path)).is_ok() || rights.check(Access::Write(&path)).is_ok()
    };
    file.ancestors().any(may)
}
