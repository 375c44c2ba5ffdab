//! Permissions of prompt files (network, programs, files, variables), and the rules that approve tool calls.

use std::{
    fs::File,
    net::IpAddr,
    path::{Path, PathBuf},
    sync::{Arc, PoisonError},
};

mod access;
mod approval;
mod grant;
mod hosts;
mod landlock;
mod paths;
mod pin;
mod programs;
mod protected;
mod protected_names;
mod restricted;
#[cfg(target_os = "linux")]
mod system_calls;
#[cfg(test)]
mod tests;

pub use self::{
    access::{Access, AccessDenied},
    grant::Grant,
    hosts::{HostRule, InvalidHost},
    landlock::{FileRights, OwnPaths, can_confine_programs},
    pin::{PinnedPath, is_pinned_entry},
    programs::ProgramFolders,
    protected::ProtectedFiles,
    restricted::Restricted,
};
pub use approval::{
    ApprovalRequest, ApprovalRules, Approver, Decision, DenyingApprover, InvalidPattern, StoppingApprover,
};

/// How much of one kind of access is allowed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Rule {
    #[default]
    All,
    /// Only connections within this machine.
    Loopback,
    Nothing,
}

#[derive(Clone, Debug, Default)]
pub struct Permissions {
    network: Rule,
    run: Rule,
    write: Rule,
    process: Rule,
    /// The start of refusals, such as `check renders`.
    who: &'static str,
    restricted: Option<Arc<Restricted>>,
}

impl Permissions {
    /// Allows only to read files. `who` starts refusals: `check renders`.
    pub fn reading_only(who: &'static str) -> Self {
        let nothing = Rule::Nothing;
        Permissions { network: nothing, run: nothing, write: nothing, process: nothing, who, restricted: None }
    }

    /// The permissions of a test: no changes to the process, which it shares, and no other machines unless `is_live`.
    pub fn of_tests(is_live: bool) -> Self {
        let network = if is_live { Rule::All } else { Rule::Loopback };
        Permissions { network, process: Rule::Nothing, who: "tests run", ..Permissions::default() }
    }

    pub fn restricted(rights: Restricted) -> Self {
        Permissions { restricted: Some(Arc::new(rights)), ..Permissions::default() }
    }

    /// Forbids changes to the process, for several scripts that share one. `who` starts refusals.
    #[must_use]
    pub fn sharing_process(self, who: &'static str) -> Self {
        Permissions { process: Rule::Nothing, who, ..self }
    }

    pub fn restricted_rights(&self) -> Option<&Arc<Restricted>> {
        self.restricted.as_ref()
    }

    pub fn may_change_process(&self) -> bool {
        self.process == Rule::All
    }

    /// Finds the file of a program for a restricted script; relative paths are resolved in `folder`. `None` without restrictions.
    pub fn program(&self, program: &str, folder: Option<&Path>) -> Result<Option<PathBuf>, AccessDenied> {
        match &self.restricted {
            None => self.check(Access::Run(program)).map(|()| None),
            Some(rights) => rights.programs.find(program, folder, &rights.run).map(Some),
        }
    }

    /// Allows the addresses that an allowed host was resolved to.
    pub fn learn_addresses(&self, host: &str, addresses: &[IpAddr]) {
        if let Some(rights) = &self.restricted {
            let mut known = rights.known.lock().unwrap_or_else(PoisonError::into_inner);
            let host = hosts::split(host).0;
            known.extend(addresses.iter().map(|address| (host.clone(), address.to_canonical())));
        }
    }

    /// Checks a file that a restricted script has just opened: a link may have changed since its path was checked.
    pub fn check_opened(&self, file: &File, access: Access<'_>) -> Result<(), AccessDenied> {
        self.restricted.as_ref().map_or(Ok(()), |rights| rights.check_opened(file, access))
    }

    pub fn allow_all(&self) -> bool {
        self.restricted.is_none()
            && [self.network, self.run, self.write, self.process].iter().all(|rule| *rule == Rule::All)
    }

    pub fn check(&self, access: Access<'_>) -> Result<(), AccessDenied> {
        let is_of_process = self.process == Rule::Nothing && matches!(access, Access::Process(_));
        if let Some(rights) = self.restricted.as_ref().filter(|_| !is_of_process) {
            return rights.check(access);
        }
        match self.rule(access) {
            Rule::All => Ok(()),
            Rule::Loopback if is_loopback(access) => Ok(()),
            Rule::Loopback => {
                Err(AccessDenied { message: format!("{} {}; --live allows it", self.who, describe(access)) })
            }
            Rule::Nothing => Err(AccessDenied { message: format!("{} {}", self.who, describe(access)) }),
        }
    }

    fn rule(&self, access: Access<'_>) -> Rule {
        match access {
            Access::Network(_) => self.network,
            Access::Run(_) => self.run,
            Access::Write(_) | Access::WriteEntry(_) => self.write,
            Access::Process(_) | Access::Signal(_) => self.process,
            Access::Read(_) | Access::ReadEntry(_) | Access::Env(_) => Rule::All,
        }
    }
}

/// The path without links, `.` and `..`; of a missing file, where it would be. `None` for a path that cannot be resolved.
pub fn real_path(path: &Path) -> Option<PathBuf> {
    paths::real(path, paths::FinalLink::Followed)
}

fn describe(access: Access<'_>) -> String {
    match access {
        Access::Network(host) => format!("without network: access to {host} is refused"),
        Access::Run(program) => format!("without other programs: {program} is not run"),
        Access::Write(path) | Access::WriteEntry(path) => format!("without writing: {path} is left as it is"),
        Access::Process(what) | Access::Signal(what) => format!("without changing the process: {what} is refused"),
        Access::Read(path) | Access::ReadEntry(path) => format!("without reading: {path} is not read"),
        Access::Env(name) => format!("without variables: {name} is not read"),
    }
}

/// Whether an address (an origin, `host:port`, a host name or the path of a socket) is on this machine.
fn is_loopback(access: Access<'_>) -> bool {
    let Access::Network(place) = access else { return false };
    let place = place.split_once("://").map_or(place, |(_, rest)| rest);
    if place.starts_with('/') {
        return true;
    }
    let is_address = |host: &str| {
        let host = host.trim_start_matches('[').trim_end_matches(']');
        // The unspecified address is only used to listen on all interfaces.
        host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback() || address.is_unspecified())
    };
    let host = place.rsplit_once(':').map_or(place, |(host, _)| host).to_ascii_lowercase();
    host == "localhost" || host.ends_with(".localhost") || is_address(&host) || is_address(place)
}
