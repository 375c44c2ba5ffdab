//! What a prompt file may reach beside its own computing (the network, other programs, files it could change), and which calls
//! of tools somebody has to approve.
//!
//! Owns: the kinds of access, who may have which, the words of a refusal; the rules of approval. Must not know: how an access
//! is made, nor JavaScript. Reading files is free, but for restricted prompt files.

use std::{
    fs::File,
    net::IpAddr,
    path::{Path, PathBuf},
    sync::{Arc, PoisonError},
};

mod access;
mod approval;
mod hosts;
mod landlock;
mod names;
mod paths;
mod pin;
mod programs;
mod reach;
mod restricted;
mod shut;
#[cfg(target_os = "linux")]
mod system_calls;
#[cfg(test)]
mod tests;

pub use self::{
    access::{Access, Refusal},
    hosts::HostRule,
    landlock::{FileRights, Own, can_confine_programs},
    pin::{Pinned, is_entry},
    programs::Programs,
    reach::Reach,
    restricted::Restricted,
    shut::ShutFiles,
};
pub use approval::{ApprovalRequest, ApprovalRules, Approver, AskedLater, Decision, NobodyToAsk};

/// How much of one kind of access is allowed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Rule {
    /// All of it.
    #[default]
    All,
    /// What stays on this machine.
    Loopback,
    /// Nothing.
    Nothing,
}

/// The rights of a prompt file. The default is to have every one.
#[derive(Clone, Debug, Default)]
pub struct Permissions {
    network: Rule,
    run: Rule,
    write: Rule,
    process: Rule,
    /// Who runs the file so, and to what end: the reason in refusals.
    who: &'static str,
    /// What a restricted file has, which has nothing else.
    restricted: Option<Arc<Restricted>>,
}

impl Permissions {
    /// Nothing but to read files. `who` stands in refusals: `check renders`.
    pub fn reading_only(who: &'static str) -> Self {
        let nothing = Rule::Nothing;
        Permissions { network: nothing, run: nothing, write: nothing, process: nothing, who, restricted: None }
    }

    /// Those of a test: it shares its process with others, and reaches no other machine unless it may.
    pub fn of_tests(is_live: bool) -> Self {
        let network = if is_live { Rule::All } else { Rule::Loopback };
        Permissions { network, process: Rule::Nothing, who: "tests run", ..Permissions::default() }
    }

    /// Those of a restricted file.
    pub fn restricted(rights: Restricted) -> Self {
        Permissions { restricted: Some(Arc::new(rights)), ..Permissions::default() }
    }

    /// The same for one of several scripts that share a process: it is none of them's own. `who` stands in refusals.
    #[must_use]
    pub fn sharing_process(self, who: &'static str) -> Self {
        Permissions { process: Rule::Nothing, who, ..self }
    }

    /// The rights of a restricted file.
    pub fn of_restricted(&self) -> Option<&Arc<Restricted>> {
        self.restricted.as_ref()
    }

    /// Whether the process is the script's own, as in a run.
    pub fn own_process(&self) -> bool {
        self.process == Rule::All
    }

    /// The file of a program that a restricted script may start; relative paths count from `folder`. `None` where it need not
    /// be looked for.
    ///
    /// # Errors
    /// It may not be started.
    pub fn program(&self, program: &str, folder: Option<&Path>) -> Result<Option<PathBuf>, Refusal> {
        match &self.restricted {
            None => self.check(Access::Run(program)).map(|()| None),
            Some(rights) => rights.programs.find(program, folder, &rights.run).map(Some),
        }
    }

    /// Notes the addresses of a host that may be talked to.
    pub fn learn_addresses(&self, host: &str, addresses: &[IpAddr]) {
        if let Some(rights) = &self.restricted {
            let mut known = rights.known.lock().unwrap_or_else(PoisonError::into_inner);
            let host = hosts::split(host).0;
            known.extend(addresses.iter().map(|address| (host.clone(), address.to_canonical())));
        }
    }

    /// Whether a file that a restricted script has opened is one that it may have: a link may have been changed since it was
    /// asked about.
    ///
    /// # Errors
    /// It is another.
    pub fn check_opened(&self, file: &File, access: Access<'_>) -> Result<(), Refusal> {
        self.restricted.as_ref().map_or(Ok(()), |rights| rights.check_opened(file, access))
    }

    /// Whether nothing would be refused.
    pub fn allow_all(&self) -> bool {
        self.restricted.is_none()
            && [self.network, self.run, self.write, self.process].iter().all(|rule| *rule == Rule::All)
    }

    /// Whether this may be done.
    ///
    /// # Errors
    /// What is refused, and why.
    pub fn check(&self, access: Access<'_>) -> Result<(), Refusal> {
        let is_of_process = self.process == Rule::Nothing && matches!(access, Access::Process(_));
        if let Some(rights) = self.restricted.as_ref().filter(|_| !is_of_process) {
            return rights.check(access);
        }
        match self.rule(access) {
            Rule::All => Ok(()),
            Rule::Loopback if is_loopback(access) => Ok(()),
            Rule::Loopback => Err(Refusal { message: format!("{} {}; --live allows it", self.who, words(access)) }),
            Rule::Nothing => Err(Refusal { message: format!("{} {}", self.who, words(access)) }),
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

/// Where a path leads, whether there is something or not; `None` when it has no end.
pub fn real_path(path: &Path) -> Option<PathBuf> {
    paths::real(path, paths::Last::Followed)
}

fn words(access: Access<'_>) -> String {
    match access {
        Access::Network(host) => format!("without network: access to {host} is refused"),
        Access::Run(program) => format!("without other programs: {program} is not run"),
        Access::Write(path) | Access::WriteEntry(path) => format!("without writing: {path} is left as it is"),
        Access::Process(what) | Access::Signal(what) => format!("without changing the process: {what} is refused"),
        Access::Read(path) | Access::ReadEntry(path) => format!("without reading: {path} is not read"),
        Access::Env(name) => format!("without variables: {name} is not read"),
    }
}

/// Whether what is asked for is on this machine: an origin, `host:port` or a name of it, or a socket in the file system.
fn is_loopback(access: Access<'_>) -> bool {
    let Access::Network(place) = access else { return false };
    let place = place.split_once("://").map_or(place, |(_, rest)| rest);
    if place.starts_with('/') {
        return true;
    }
    let is_address = |host: &str| {
        let host = host.trim_start_matches('[').trim_end_matches(']');
        // To listen on all addresses is to listen.
        host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback() || address.is_unspecified())
    };
    let host = place.rsplit_once(':').map_or(place, |(host, _)| host).to_ascii_lowercase();
    host == "localhost" || host.ends_with(".localhost") || is_address(&host) || is_address(place)
}
