//! The rules about files once more, held by the system (landlock, on Linux): what gets around a check in the program, such as a
//! link that is changed behind it, is refused by the kernel. A kernel without it leaves the checks. Must not know scripts.

use std::path::PathBuf;

use super::Restricted;

/// What the program itself needs, beside what the file may.
#[derive(Clone, Debug, Default)]
pub struct Own {
    /// Files and folders it reads: certificates, the user's credentials for providers.
    pub read: Vec<PathBuf>,
    /// Files and folders it writes: the journal, a recording.
    pub write: Vec<PathBuf>,
}

impl Restricted {
    /// Gives up what is not allowed, in this thread and in those it starts from now on.
    pub fn confine_program(&self, own: &Own) {
        #[cfg(target_os = "linux")]
        linux::confine(self, own, linux::Keys::CheckedBefore);
        #[cfg(not(target_os = "linux"))]
        let _ = own;
    }

    /// The same for a thread that only starts programs, which nobody checks: files with keys are out of reach as well.
    pub fn confine_programs(&self) {
        #[cfg(target_os = "linux")]
        linux::confine(self, &Own::default(), linux::Keys::OutOfReach);
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use std::{
        fs,
        path::{Path, PathBuf},
    };

    use landlock::{
        ABI, Access, AccessFs, BitFlags, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset, RulesetAttr,
        RulesetCreated, RulesetCreatedAttr, RulesetError,
    };

    use super::{
        super::{Reach, Restricted},
        Own,
    };

    /// What programs are made of, and devices without contents.
    const SYSTEM: &[&str] = &[
        "/bin",
        "/sbin",
        "/lib",
        "/lib32",
        "/lib64",
        "/libx32",
        "/usr",
        "/etc",
        "/opt",
        "/nix/store",
        "/run/systemd/resolve",
        "/run/resolvconf",
        "/dev/urandom",
        "/dev/random",
        "/dev/zero",
    ];

    /// What may be written by anybody, without a trace.
    const DEVICES: &[&str] = &["/dev/null", "/dev/tty", "/dev/full", "/dev/pts", "/dev/ptmx"];

    /// What the program reads of itself.
    const OF_ITSELF: &[&str] = &["/proc/self/statm", "/proc/self/stat", "/proc/self/status", "/proc/self/io"];

    /// Files with keys.
    #[derive(Clone, Copy, PartialEq, Eq)]
    pub(super) enum Keys {
        /// Whoever opens a file is asked.
        CheckedBefore,
        OutOfReach,
    }

    pub(super) fn confine(rights: &Restricted, own: &Own, keys: Keys) {
        // Nothing of it is there before Linux 5.13; what newer kernels add is used where it is.
        let _ = restrict(rights, own, keys);
    }

    fn restrict(rights: &Restricted, own: &Own, keys: Keys) -> Result<(), RulesetError> {
        // Which programs are started is no question of files.
        let handled = AccessFs::from_all(ABI::V5) & !(AccessFs::Execute | AccessFs::IoctlDev);
        let ruleset = Ruleset::default().set_compatibility(CompatLevel::BestEffort).handle_access(handled)?.create()?;
        let mut rules = Rules { ruleset, rights, keys, handled };
        let (read, write) = (rules.reading(), rules.writing());
        let plain = SYSTEM.iter().map(PathBuf::from).chain(own.read.iter().cloned());
        for path in plain.chain(rights.own.iter().cloned()).chain(rights.read.listed().iter().cloned()) {
            rules.allow(&path, read)?;
        }
        for path in rights.write.listed() {
            rules.allow(path, write)?;
        }
        for path in DEVICES.iter().map(PathBuf::from).chain(own.write.iter().cloned()) {
            rules.allow_plainly(&path, read | write)?;
        }
        if keys == Keys::CheckedBefore {
            for path in OF_ITSELF {
                rules.allow_plainly(Path::new(path), read)?;
            }
        }
        if rights.read == Reach::All {
            rules.allow(Path::new("/"), read)?;
        }
        if rights.write == Reach::All {
            rules.allow(Path::new("/"), write)?;
        }
        rules.ruleset.restrict_self().map(drop)
    }

    struct Rules<'a> {
        ruleset: RulesetCreated,
        rights: &'a Restricted,
        keys: Keys,
        handled: BitFlags<AccessFs>,
    }

    impl Rules<'_> {
        fn reading(&self) -> BitFlags<AccessFs> {
            AccessFs::from_read(ABI::V5) & self.handled
        }

        fn writing(&self) -> BitFlags<AccessFs> {
            AccessFs::from_write(ABI::V5) & self.handled
        }

        /// Allows it for everything below a path but what has to stay out of reach.
        fn allow(&mut self, path: &Path, access: BitFlags<AccessFs>) -> Result<(), RulesetError> {
            if path.starts_with("/proc") && path != Path::new("/proc") || !self.has_secrets_below(path) {
                return if self.is_secret(path) { Ok(()) } else { self.allow_plainly(path, access) };
            }
            // A right cannot be taken back below a folder where it was given: its entries get it one by one. The
            // folder itself is listed, and things in it may be made and removed, but not opened.
            let file = AccessFs::ReadFile | AccessFs::WriteFile | AccessFs::Truncate;
            if path != Path::new("/") && path != Path::new("/proc") {
                self.allow_plainly(path, access & !file)?;
            }
            let entries = fs::read_dir(path).into_iter().flatten().flatten();
            for entry in entries.filter(|entry| entry.file_type().is_ok_and(|kind| !kind.is_symlink())) {
                self.allow(&entry.path(), access)?;
            }
            Ok(())
        }

        /// Whether something below a folder has to stay out of reach.
        fn has_secrets_below(&self, path: &Path) -> bool {
            let hidden = &self.rights.hidden;
            let has_keys = self.keys == Keys::OutOfReach
                && (path.join(".env").exists()
                    || hidden.iter().any(|hidden| hidden != path && hidden.starts_with(path)));
            has_keys || Path::new("/proc").starts_with(path)
        }

        fn is_secret(&self, path: &Path) -> bool {
            let is_process = path.strip_prefix("/proc").is_ok_and(|rest| {
                let name = rest.components().next().map(|part| part.as_os_str().to_string_lossy().into_owned());
                name.is_some_and(|name| name.contains("self") || name.bytes().all(|byte| byte.is_ascii_digit()))
            });
            is_process || self.keys == Keys::OutOfReach && self.rights.is_hidden(path)
        }

        fn allow_plainly(&mut self, path: &Path, access: BitFlags<AccessFs>) -> Result<(), RulesetError> {
            // What is not there is nothing to allow.
            let Ok(opened) = PathFd::new(path) else { return Ok(()) };
            let is_folder = fs::metadata(path).is_ok_and(|found| found.is_dir());
            let access = if is_folder { access } else { access & AccessFs::from_file(ABI::V5) };
            if access.is_empty() {
                return Ok(());
            }
            (&mut self.ruleset).add_rule(PathBeneath::new(opened, access)).map(drop)
        }
    }
}
