//! The rights of a restricted prompt file (`run --restrict`): it may read its own folder and `node_modules`, everything else has to
//! be given.

use std::{
    collections::BTreeSet,
    fs::File,
    net::IpAddr,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use super::{
    Access, Refusal,
    hosts::{self, HostRule},
    names,
    paths::{self, Last},
    programs::Programs,
    reach::{Reach, refusal},
    shut::{self, ShutFiles},
};

/// The rights that a restricted file was given.
#[derive(Debug, Default)]
pub struct Restricted {
    /// Folders that may always be read: the file's own, and every `node_modules` above it. Real paths.
    pub own: Vec<PathBuf>,
    /// Files and folders that may be read. Real paths.
    pub read: Reach<PathBuf>,
    /// Files and folders that may be created, changed and removed. Real paths.
    pub write: Reach<PathBuf>,
    /// Hosts that may be connected to.
    pub net: Reach<HostRule>,
    /// Variables that may be read.
    pub env: Reach<String>,
    /// Programs that may be started.
    pub run: Reach<PathBuf>,
    /// Where programs are looked for.
    pub programs: Programs,
    /// Protected files, which no right opens.
    pub shut: ShutFiles,
    /// Variables that hold keys of providers, which no right shows.
    pub keys: BTreeSet<String>,
    /// Addresses of hosts that were looked up.
    pub known: Mutex<Vec<(String, IpAddr)>>,
}

impl Restricted {
    /// Checks an access.
    ///
    /// # Errors
    /// The access is refused. The message names the option that would allow it.
    pub(super) fn check(&self, access: Access<'_>) -> Result<(), Refusal> {
        match access {
            Access::Read(path) => self.read(path, Last::Followed),
            Access::ReadEntry(path) => self.read(path, Last::Itself),
            Access::Write(path) => self.write(path, Last::Followed),
            Access::WriteEntry(path) => self.write(path, Last::Itself),
            Access::Network(place) if place.starts_with('/') => {
                self.read(place, Last::Followed).and_then(|()| self.write(place, Last::Followed))
            }
            Access::Network(place) => self.network(place),
            Access::Run(program) => self.programs.find(program, None, &self.run).map(drop),
            Access::Signal(what) if self.run != Reach::All => Err(refusal(what, "--allow-run")),
            Access::Env(name) => self.variable(name),
            Access::Process(_) | Access::Signal(_) => Ok(()),
        }
    }

    fn read(&self, path: &str, last: Last) -> Result<(), Refusal> {
        let what = || format!("reading {path}");
        let real = self.real(path, last, false, &what)?;
        if self.may_read(&real) {
            return Ok(());
        }
        Err(refusal(&what(), &format!("--allow-read={}", shown(path))))
    }

    fn write(&self, path: &str, last: Last) -> Result<(), Refusal> {
        let what = || format!("writing {path}");
        let real = self.real(path, last, true, &what)?;
        if let Some(why) = self.shut.why_below(&real).filter(|_| last == Last::Itself) {
            return Err(never(&what(), why));
        }
        if self.write.has(|given| real.starts_with(given)) {
            return Ok(());
        }
        Err(refusal(&what(), &format!("--allow-write={}", shown(path))))
    }

    /// The real path, unless it is protected.
    fn real(&self, path: &str, last: Last, is_change: bool, what: &dyn Fn() -> String) -> Result<PathBuf, Refusal> {
        let found = paths::real_with_links(Path::new(path), last);
        let (real, links) = found.ok_or_else(|| never(&what(), "the path cannot be resolved"))?;
        if is_change && names::is_of_system(&real) {
            return Err(never(&what(), "it belongs to the system"));
        }
        match self.shut.why(&real, is_change).or_else(|| shut::why_link(&links, is_change)) {
            Some(why) => Err(never(&what(), why)),
            None => Ok(real),
        }
    }

    /// Checks an open file by its inode and by where it is now.
    pub(super) fn check_opened(&self, file: &File, access: Access<'_>) -> Result<(), Refusal> {
        let is_write = matches!(access, Access::Write(_));
        let Some(real) = paths::of_open(file) else {
            let why = self.shut.why_opened(file, is_write);
            return why.map_or(Ok(()), |why| Err(never("opening the file", why)));
        };
        let what = || format!("{} {}", if is_write { "writing" } else { "reading" }, real.display());
        if let Some(why) = self.shut.why(&real, is_write).or_else(|| self.shut.why_opened(file, is_write)) {
            return Err(never(&what(), why));
        }
        let is_given = match is_write {
            true => self.write.has(|given| real.starts_with(given)),
            false => self.may_read(&real),
        };
        // No option in the message: the path that was checked before led elsewhere.
        if is_given { Ok(()) } else { Err(Refusal { message: format!("{} is not allowed", what()) }) }
    }

    fn may_read(&self, real: &Path) -> bool {
        self.own.iter().any(|own| real.starts_with(own)) || self.read.has(|given| real.starts_with(given))
    }

    fn network(&self, place: &str) -> Result<(), Refusal> {
        let (host, port) = hosts::split(place);
        if self.net.has(|rule| rule.matches(&host, port)) {
            return Ok(());
        }
        // An address that an allowed host name was resolved to.
        if let Ok(address) = host.parse::<IpAddr>() {
            let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
            let mut names = known.iter().filter(|(_, known)| *known == address).map(|(name, _)| name);
            if names.any(|name| self.net.has(|rule| rule.matches(name, port))) {
                return Ok(());
            }
        }
        let name = hosts::shown(&host, port);
        Err(refusal(&format!("access to {name}"), &format!("--allow-net={name}")))
    }

    fn variable(&self, name: &str) -> Result<(), Refusal> {
        let what = format!("reading the variable {name}");
        if self.keys.contains(name) {
            return Err(never(&what, "it holds a key"));
        }
        if self.env.has(|given| given == name) { Ok(()) } else { Err(refusal(&what, &format!("--allow-env={name}"))) }
    }
}

/// A refusal that no option lifts.
fn never(what: &str, why: &str) -> Refusal {
    Refusal {
        message: format!("{what} is not allowed in a restricted prompt file: {why}, and no --allow option opens it"),
    }
}

/// A path that means the same in every working directory, for messages.
fn shown(path: &str) -> String {
    paths::shown(Path::new(path)).display().to_string()
}
