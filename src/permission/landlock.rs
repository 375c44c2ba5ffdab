//! The rules about files once more, held by the system (landlock, on Linux): what gets around a check in the program, such as a
//! link that is changed behind it, is refused by the kernel. A kernel without it leaves the checks. Must not know scripts.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::{Reach, Restricted};

/// What the program itself needs, beside what the file may.
#[derive(Clone, Debug, Default)]
pub struct Own {
    /// Files and folders it reads: certificates, the user's credentials for providers.
    pub read: Vec<PathBuf>,
    /// Files and folders it writes: the journal, a recording.
    pub write: Vec<PathBuf>,
}

/// What a program may do with files that a restricted file starts; another process can be told.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct FileRights {
    read: Reach<PathBuf>,
    /// What may be read in any case.
    own: Vec<PathBuf>,
    write: Reach<PathBuf>,
    /// What stays out of reach.
    shut: Vec<PathBuf>,
}

impl FileRights {
    /// Gives up everything else, in this thread and in what it starts from now on.
    pub fn confine(&self) {
        #[cfg(target_os = "linux")]
        linux::confine(self, &Own::default(), linux::Who::Programs);
    }
}

impl Restricted {
    /// Gives up what is not allowed, in this thread and in those it starts from now on.
    pub fn confine_program(&self, own: &Own) {
        #[cfg(target_os = "linux")]
        linux::confine(&self.rights_of_files(Vec::new()), own, linux::Who::Ourselves);
        #[cfg(not(target_os = "linux"))]
        let _ = own;
    }

    /// The same for programs that the file starts, which nobody checks: files with keys are out of reach as well.
    pub fn of_programs(&self) -> FileRights {
        let folders = self.own.iter().chain(self.read.listed()).chain(self.write.listed());
        let here = std::env::current_dir().ok();
        let shut = self.shut.found(&here.into_iter().chain(folders.cloned()).collect::<Vec<_>>());
        self.rights_of_files(shut)
    }

    fn rights_of_files(&self, shut: Vec<PathBuf>) -> FileRights {
        let programs = match &self.run {
            // Wherever they are.
            Reach::All => self.programs.folders(),
            Reach::Only(list) => list,
        };
        let own = self.own.iter().chain(programs).cloned().collect();
        FileRights { read: self.read.clone(), own, write: self.write.clone(), shut }
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
        super::{Reach, paths, shut},
        FileRights, Own,
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

    /// Who is confined.
    #[derive(Clone, Copy, PartialEq, Eq)]
    pub(super) enum Who {
        /// This program: whenever a script opens a file, it is asked about, and looked at once more when it is open.
        Ourselves,
        /// Programs that scripts start: nobody looks at what they open.
        Programs,
    }

    pub(super) fn confine(rights: &FileRights, own: &Own, who: Who) {
        // Nothing of it is there before Linux 5.13; what newer kernels add is used where it is.
        let _ = restrict(rights, own, who);
    }

    fn restrict(rights: &FileRights, own: &Own, who: Who) -> Result<(), RulesetError> {
        // Which programs are started is no question of files.
        let handled = AccessFs::from_all(ABI::V5) & !(AccessFs::Execute | AccessFs::IoctlDev);
        let ruleset = Ruleset::default().set_compatibility(CompatLevel::BestEffort).handle_access(handled)?.create()?;
        let mut rules = Rules { ruleset, rights, who, handled };
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
        if who == Who::Ourselves {
            // What our children have started stands there.
            rules.allow_plainly(Path::new("/proc"), read)?;
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
        rights: &'a FileRights,
        who: Who,
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
            if self.who == Who::Ourselves {
                return self.allow_plainly(path, access);
            }
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
            let mut shut = self.rights.shut.iter();
            shut.any(|shut| shut != path && shut.starts_with(path)) || Path::new("/proc").starts_with(path)
        }

        fn is_secret(&self, path: &Path) -> bool {
            let is_process = path.strip_prefix("/proc").is_ok_and(|rest| {
                let name = rest.components().next().map(|part| part.as_os_str().to_string_lossy().into_owned());
                name.is_some_and(|name| name.contains("self") || name.bytes().all(|byte| byte.is_ascii_digit()))
            });
            let is_shut = || self.rights.shut.iter().any(|shut| paths::are_same(shut, path));
            is_process || shut::is_env_file(path) || is_shut()
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
