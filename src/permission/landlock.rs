//! The rules about files, held by the kernel (landlock, on Linux). For lmthing itself they are a second line: what gets past a
//! check, such as a link that changes after it, is refused. For programs that a restricted file starts they are the only one.

use std::{io, path::PathBuf};

use serde::{Deserialize, Serialize};

use super::{
    Reach, Restricted,
    shut::{Folders, ShutForPrograms},
};

/// What the program itself needs, beside what the file may.
#[derive(Clone, Debug, Default)]
pub struct Own {
    /// Files and folders it reads: certificates, the user's credentials for providers.
    pub read: Vec<PathBuf>,
    /// Files and folders it writes: the journal, a recording.
    pub write: Vec<PathBuf>,
}

/// What a program that a restricted file starts may do with files. Another process can be given it as JSON.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct FileRights {
    read: Reach<PathBuf>,
    /// What may be read in any case.
    own: Vec<PathBuf>,
    write: Reach<PathBuf>,
    /// Paths that stay shut, with everything below them, and whether each may be read.
    shut: Vec<(PathBuf, bool)>,
    /// Folders that hold or may get shut files: nothing is made, moved or removed in them. And whether all of those files
    /// may be read.
    folders: Folders,
}

impl FileRights {
    /// Lets the program be read that is started.
    #[must_use]
    pub fn and_program(mut self, file: &str) -> Self {
        self.own.push(file.into());
        self
    }

    /// Gives up everything else, in this thread and in the programs that it starts from now on.
    ///
    /// # Errors
    /// The kernel does not hold it. Nothing may be started then.
    pub fn confine(&self) -> io::Result<()> {
        #[cfg(target_os = "linux")]
        {
            linux::confine(self, &Own::default(), linux::Who::Programs)?;
            super::system_calls::confine()
        }
        #[cfg(not(target_os = "linux"))]
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// Whether the kernel holds rights of programs about files: Linux from 5.13 on, unless landlock is left out or turned off.
pub fn can_confine_programs() -> bool {
    #[cfg(target_os = "linux")]
    {
        linux::is_there()
    }
    #[cfg(not(target_os = "linux"))]
    false
}

impl Restricted {
    /// Gives up what is not allowed, in this thread and in those it starts from now on.
    pub fn confine_program(&self, own: &Own) {
        #[cfg(target_os = "linux")]
        {
            let rights = self.rights_of_files(ShutForPrograms::default());
            // Every access is checked before it is made; this is a second line, for kernels that have it.
            let _ = linux::confine(&rights, own, linux::Who::Ourselves);
        }
        #[cfg(not(target_os = "linux"))]
        let _ = own;
    }

    /// The same for programs that the file starts. Nothing checks what they do but the kernel, so files that stay shut are out
    /// of their reach as well.
    pub fn of_programs(&self) -> FileRights {
        let folders = self.own.iter().chain(self.read.listed()).chain(self.write.listed());
        self.rights_of_files(self.shut.for_programs(folders))
    }

    /// Looks for the files that stay shut for programs, if there may be any: before the script runs, which could hide some.
    pub fn look_for_shut_files(&self) {
        if self.run != Reach::default() {
            self.of_programs();
        }
    }

    /// Folders that may be written, but in which programs cannot make, move or remove anything.
    pub fn not_given_whole(&self) -> Vec<PathBuf> {
        if self.run == Reach::default() || self.write.listed().is_empty() {
            return Vec::new();
        }
        let FileRights { shut, folders, .. } = self.of_programs();
        let holds_one = |folder: &PathBuf| shut.iter().any(|(path, _)| path.parent() == Some(folder));
        let listed = self.write.listed().iter();
        listed.filter(|folder| folders.contains_key(*folder) || holds_one(folder)).cloned().collect()
    }

    fn rights_of_files(&self, shut: ShutForPrograms) -> FileRights {
        let programs = match &self.run {
            // Wherever they are.
            Reach::All => self.programs.folders(),
            Reach::Only(list) => list,
        };
        let own = self.own.iter().chain(programs).cloned().collect();
        let ShutForPrograms { paths, folders } = shut;
        FileRights { read: self.read.clone(), own, write: self.write.clone(), shut: paths, folders }
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use std::{
        collections::HashSet,
        fs::{self, File},
        io,
        path::{Path, PathBuf},
    };

    use landlock::{
        ABI, Access, AccessFs, BitFlags, CompatLevel, Compatible, PathBeneath, Ruleset, RulesetAttr, RulesetCreated,
        RulesetCreatedAttr, RulesetError, RulesetStatus, Scope,
    };

    use rustix::fs::{Mode, OFlags, ResolveFlags};

    use super::{
        super::{Reach, names, shut},
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
        // What programs ask about the machine.
        "/proc/cpuinfo",
        "/proc/filesystems",
        "/proc/loadavg",
        "/proc/meminfo",
        "/proc/stat",
        "/proc/uptime",
        "/proc/version",
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

    pub(super) fn confine(rights: &FileRights, own: &Own, who: Who) -> io::Result<()> {
        match restrict(rights, own, who).map_err(io::Error::other)? {
            RulesetStatus::NotEnforced => Err(io::ErrorKind::Unsupported.into()),
            // What newer kernels add is used where it is.
            RulesetStatus::PartiallyEnforced | RulesetStatus::FullyEnforced => Ok(()),
        }
    }

    /// Whether the kernel has landlock at all.
    pub(super) fn is_there() -> bool {
        let first = Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
        first.handle_access(AccessFs::from_all(ABI::V1)).and_then(Ruleset::create).is_ok()
    }

    fn restrict(rights: &FileRights, own: &Own, who: Who) -> Result<RulesetStatus, RulesetError> {
        // Which programs are started is no question of files.
        let handled = AccessFs::from_all(ABI::V5) & !(AccessFs::Execute | AccessFs::IoctlDev);
        let mut ruleset = Ruleset::default().set_compatibility(CompatLevel::BestEffort).handle_access(handled)?;
        if who == Who::Programs {
            // Signals to lmthing and to other programs of the user, and sockets without a path: from Linux 6.12 on.
            ruleset = ruleset.scope(Scope::from_all(ABI::V6))?;
        }
        let ruleset = ruleset.create()?;
        let mut rules = Rules { ruleset, limits: (who == Who::Programs).then(|| Limits::new(rights)), handled };
        let read = rules.reading();
        // What may be written is listed to see which of it programs get; scripts are refused that before.
        let listing = if who == Who::Ourselves { AccessFs::ReadDir.into() } else { BitFlags::empty() };
        let write = rules.writing() | listing;
        let plain = SYSTEM.iter().map(PathBuf::from).chain(own.read.iter().cloned());
        for path in plain.chain(rights.own.iter().cloned()) {
            // Links among them are the system's own; below, none is followed.
            rules.allow(&path.canonicalize().unwrap_or(path), read)?;
        }
        for path in rights.read.listed() {
            rules.allow(path, read)?;
        }
        for path in rights.write.listed() {
            rules.allow(path, write)?;
        }
        for path in DEVICES.iter().map(PathBuf::from).chain(own.write.iter().cloned()) {
            rules.allow_plainly(&path, read | write)?;
        }
        if who == Who::Ourselves {
            // The children of our children are listed there.
            rules.allow_plainly(Path::new("/proc"), read)?;
        }
        if rights.read == Reach::All {
            rules.allow(Path::new("/"), read)?;
        }
        if rights.write == Reach::All {
            rules.allow(Path::new("/"), write)?;
        }
        rules.ruleset.restrict_self().map(|status| status.ruleset)
    }

    /// What stays out of reach below the folders that are given.
    struct Limits<'a> {
        shut: &'a [(PathBuf, bool)],
        /// The files among them that may not be read, under whatever name.
        identities: HashSet<(u64, u64)>,
        /// Folders that are not given to read as a whole: those that hold a file which may not be read, and all above.
        split_for_reading: HashSet<PathBuf>,
        /// The same for writing: those that hold a shut file or may get one, and all above.
        split_for_writing: HashSet<PathBuf>,
    }

    impl<'a> Limits<'a> {
        fn new(rights: &'a FileRights) -> Self {
            let folders = || rights.folders.iter().map(|(folder, is_readable)| (folder.as_path(), *is_readable));
            let parents =
                || rights.shut.iter().filter_map(|(path, is_readable)| Some((path, path.parent()?, *is_readable)));
            let unreadable = || rights.shut.iter().filter(|(_, is_readable)| !is_readable).map(|(path, _)| path);
            // What is not there needs not be kept from readers, who cannot make it.
            let hidden = parents().filter(|(path, _, is_readable)| !is_readable && path.exists());
            let hiding = folders().filter(|(_, is_readable)| !is_readable).map(|(folder, _)| folder);
            Limits {
                shut: &rights.shut,
                identities: unreadable().filter_map(|path| shut::identity_at(path)).collect(),
                split_for_reading: and_above(hidden.map(|(_, parent, _)| parent).chain(hiding)),
                split_for_writing: and_above(
                    parents().map(|(_, parent, _)| parent).chain(folders().map(|(folder, _)| folder)),
                ),
            }
        }

        /// What is left of these rights for a path.
        fn left(&self, path: &Path, access: BitFlags<AccessFs>) -> BitFlags<AccessFs> {
            let named =
                self.shut.iter().filter(|(shut, _)| path.starts_with(shut)).map(|(_, is_readable)| *is_readable);
            let by_name = names::shut(path).map(|shut| shut.is_readable);
            let by_identity = || shut::identity_at(path).is_some_and(|found| self.identities.contains(&found));
            match named.chain(by_name).min() {
                Some(false) => BitFlags::empty(),
                _ if is_process(path) || by_identity() => BitFlags::empty(),
                Some(true) => access & AccessFs::from_read(ABI::V5),
                // Settings of the system, which decide what root runs.
                None if path.starts_with("/proc") || path.starts_with("/sys") => access & AccessFs::from_read(ABI::V5),
                None => access,
            }
        }

        fn is_split(&self, path: &Path, access: BitFlags<AccessFs>) -> bool {
            // Entries of `/proc` are fixed, but for processes.
            let is_in_proc = path.starts_with("/proc") && path != Path::new("/proc");
            let is_writing = access.intersects(AccessFs::from_write(ABI::V5));
            let split = if is_writing { &self.split_for_writing } else { &self.split_for_reading };
            !is_in_proc && (split.contains(path) || names::is_journal_folder(path))
        }
    }

    /// Folders with all above them, and `/proc`, which holds the environment of every process.
    fn and_above<'a>(folders: impl Iterator<Item = &'a Path>) -> HashSet<PathBuf> {
        folders.chain([Path::new("/proc")]).flat_map(Path::ancestors).map(Path::to_owned).collect()
    }

    /// Opens a path to name it in a rule.
    fn open(path: &Path, resolve: ResolveFlags) -> Option<File> {
        let flags = OFlags::PATH | OFlags::CLOEXEC;
        rustix::fs::openat2(rustix::fs::CWD, path, flags, Mode::empty(), resolve).ok().map(File::from)
    }

    /// Whether a path leads to what `/proc` tells of a process.
    fn is_process(path: &Path) -> bool {
        path.strip_prefix("/proc").is_ok_and(|rest| {
            let name = rest.components().next().map(|part| part.as_os_str().to_string_lossy().into_owned());
            name.is_some_and(|name| name.contains("self") || name.bytes().all(|byte| byte.is_ascii_digit()))
        })
    }

    struct Rules<'a> {
        ruleset: RulesetCreated,
        /// None for lmthing itself.
        limits: Option<Limits<'a>>,
        handled: BitFlags<AccessFs>,
    }

    impl Rules<'_> {
        fn reading(&self) -> BitFlags<AccessFs> {
            AccessFs::from_read(ABI::V5) & self.handled
        }

        fn writing(&self) -> BitFlags<AccessFs> {
            // Nodes of devices are files that nothing here would know.
            AccessFs::from_write(ABI::V5) & self.handled & !(AccessFs::MakeBlock | AccessFs::MakeChar)
        }

        /// Allows it for everything below a path but what has to stay out of reach.
        ///
        /// A right cannot be taken back below a folder where it was given. So a folder with something shut in it can be listed,
        /// and its entries get the rights one by one: nothing is made, moved or removed in the folder itself, as the kernel knows no
        /// right to make one name and not another.
        fn allow(&mut self, path: &Path, access: BitFlags<AccessFs>) -> Result<(), RulesetError> {
            let Some(limits) = &self.limits else { return self.allow_plainly(path, access) };
            let access = limits.left(path, access);
            if !limits.is_split(path, access) {
                return self.allow_plainly(path, access);
            }
            if path != Path::new("/") && path != Path::new("/proc") {
                self.allow_plainly(path, access & AccessFs::ReadDir)?;
            }
            let entries = fs::read_dir(path).into_iter().flatten().flatten();
            for entry in entries.filter(|entry| entry.file_type().is_ok_and(|kind| !kind.is_symlink())) {
                self.allow(&entry.path(), access)?;
            }
            Ok(())
        }

        /// For programs no link on the way is followed: the script may have put it there since the path was looked at.
        fn open(&self, path: &Path) -> Option<File> {
            let is_real = self.limits.is_some() && !DEVICES.iter().any(|device| path == Path::new(device));
            open(path, if is_real { ResolveFlags::NO_SYMLINKS } else { ResolveFlags::empty() })
        }

        fn allow_plainly(&mut self, path: &Path, access: BitFlags<AccessFs>) -> Result<(), RulesetError> {
            // What is not there is nothing to allow.
            let Some(opened) = self.open(path) else { return Ok(()) };
            let is_folder = opened.metadata().is_ok_and(|found| found.is_dir());
            let access = if is_folder { access } else { access & AccessFs::from_file(ABI::V5) };
            if access.is_empty() {
                return Ok(());
            }
            (&mut self.ruleset).add_rule(PathBeneath::new(opened, access)).map(drop)
        }
    }
}
