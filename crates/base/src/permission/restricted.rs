//! The rights of a restricted prompt file (`run --restrict`): it may read its own folder and `node_modules`; everything else has
//! to be allowed.

use std::{
    collections::BTreeSet,
    fs::File,
    net::IpAddr,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use super::{
    Access, AccessDenied,
    grant::{Grant, refusal},
    hosts::{self, HostRule},
    paths::{self, FinalLink},
    programs::ProgramFolders,
    protected::{self, ProtectedFiles},
    protected_names,
};

#[derive(Debug, Default)]
pub struct Restricted {
    /// Folders that may always be read: the file's own, and every `node_modules` above it. Real paths.
    pub own: Vec<PathBuf>,
    /// Files and folders that may be read. Real paths.
    pub read: Grant<PathBuf>,
    /// Files and folders that may be created, changed and removed. Real paths.
    pub write: Grant<PathBuf>,
    pub net: Grant<HostRule>,
    pub env: Grant<String>,
    pub run: Grant<PathBuf>,
    pub programs: ProgramFolders,
    /// Files that no right applies to.
    pub protected: ProtectedFiles,
    /// Variables with keys of providers, which no right applies to.
    pub keys: BTreeSet<String>,
    pub known: Mutex<Vec<(String, IpAddr)>>,
}

impl Restricted {
    /// Checks an access. The refusal names the option that would allow it.
    pub(super) fn check(&self, access: Access<'_>) -> Result<(), AccessDenied> {
        match access {
            Access::Read(path) => self.read(path, FinalLink::Followed),
            Access::ReadEntry(path) => self.read(path, FinalLink::Itself),
            Access::Write(path) => self.write(path, FinalLink::Followed),
            Access::WriteEntry(path) => self.write(path, FinalLink::Itself),
            Access::Network(place) if place.starts_with('/') => {
                self.read(place, FinalLink::Followed).and_then(|()| self.write(place, FinalLink::Followed))
            }
            Access::Network(place) => self.network(place),
            Access::Run(program) => self.programs.find(program, None, &self.run).map(drop),
            Access::Signal(what) if self.run != Grant::All => Err(refusal(what, "--allow-run")),
            Access::Env(name) => self.variable(name),
            Access::Process(_) | Access::Signal(_) => Ok(()),
        }
    }

    fn read(&self, path: &str, last: FinalLink) -> Result<(), AccessDenied> {
        let what = || format!("reading {path}");
        let real = self.real(path, last, false, &what)?;
        if self.may_read(&real) {
            return Ok(());
        }
        Err(refusal(&what(), &format!("--allow-read={}", shown(path))))
    }

    fn write(&self, path: &str, last: FinalLink) -> Result<(), AccessDenied> {
        let what = || format!("writing {path}");
        let real = self.real(path, last, true, &what)?;
        if let Some(reason) = self.protected.reason_below(&real).filter(|_| last == FinalLink::Itself) {
            return Err(never(&what(), reason));
        }
        if self.write.has(|given| real.starts_with(given)) {
            return Ok(());
        }
        Err(refusal(&what(), &format!("--allow-write={}", shown(path))))
    }

    fn real(
        &self,
        path: &str,
        last: FinalLink,
        is_change: bool,
        what: &dyn Fn() -> String,
    ) -> Result<PathBuf, AccessDenied> {
        let found = paths::real_with_links(Path::new(path), last);
        let (real, links) = found.ok_or_else(|| never(&what(), "the path cannot be resolved"))?;
        if is_change && protected_names::is_kernel_path(&real) {
            return Err(never(&what(), "it belongs to the system"));
        }
        match self.protected.reason(&real, is_change).or_else(|| protected::link_reason(&links, is_change)) {
            Some(reason) => Err(never(&what(), reason)),
            None => Ok(real),
        }
    }

    /// Checks an open file by its inode and its current path.
    pub(super) fn check_opened(&self, file: &File, access: Access<'_>) -> Result<(), AccessDenied> {
        let is_write = matches!(access, Access::Write(_));
        let Some(real) = paths::path_of_open(file) else {
            let reason = self.protected.reason_if_opened(file, is_write);
            return reason.map_or(Ok(()), |reason| Err(never("opening the file", reason)));
        };
        let what = || format!("{} {}", if is_write { "writing" } else { "reading" }, real.display());
        if let Some(reason) =
            self.protected.reason(&real, is_write).or_else(|| self.protected.reason_if_opened(file, is_write))
        {
            return Err(never(&what(), reason));
        }
        let is_given = match is_write {
            true => self.write.has(|given| real.starts_with(given)),
            false => self.may_read(&real),
        };
        // No option in the message: the path that was checked before led elsewhere.
        if is_given { Ok(()) } else { Err(AccessDenied { message: format!("{} is not allowed", what()) }) }
    }

    fn may_read(&self, real: &Path) -> bool {
        self.own.iter().any(|own| real.starts_with(own)) || self.read.has(|given| real.starts_with(given))
    }

    fn network(&self, place: &str) -> Result<(), AccessDenied> {
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

    fn variable(&self, name: &str) -> Result<(), AccessDenied> {
        let what = format!("reading the variable {name}");
        if self.keys.contains(name) {
            return Err(never(&what, "it holds a key"));
        }
        if self.env.has(|given| given == name) { Ok(()) } else { Err(refusal(&what, &format!("--allow-env={name}"))) }
    }
}

/// A refusal that no option lifts.
fn never(what: &str, reason: &str) -> AccessDenied {
    AccessDenied {
        message: format!("{what} is not allowed in a restricted prompt file: {reason}, and no --allow option opens it"),
    }
}

fn shown(path: &str) -> String {
    paths::shown(Path::new(path)).display().to_string()
}
