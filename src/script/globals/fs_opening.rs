//! Opening files for scripts, with Node's flags (the numbers of Linux, see `fs/constants.js`). What a restricted script has
//! opened is looked at once more: a link may have been changed since it was asked about. Must not know what is done with them.

use std::{fs::File, io};

use rquickjs::Ctx;

use super::fs_error::{FsError, FsResult};
use crate::permission::{Access, Permissions, is_entry};
use crate::script::gate;

/// Cuts a file off when it is opened.
const CUTS: u32 = 0o1000;

/// Makes a file when there is none.
const MAKES: u32 = 0o100;

/// Fails when there is a link at the end of the path.
const NO_LINK: u32 = 0o400_000;

/// Whether opening a file with these flags lets it be read.
pub(super) fn may_read(flags: u32) -> bool {
    const WRITE_ONLY: u32 = 0o1;
    flags & 0o3 != WRITE_ONLY
}

/// Whether opening a file with these flags may make or change it, or lets it be changed.
pub(super) fn may_change(flags: u32) -> bool {
    const WRITES: u32 = 0o3;
    flags & (WRITES | MAKES | CUTS) != 0
}

/// Whether opening a file with these flags fails when there is a link at the end of the path.
pub(super) fn refuses_links(flags: u32) -> bool {
    flags & NO_LINK != 0
}

/// Opens files for the scripts of an engine.
#[derive(Clone)]
pub(super) struct Opener {
    /// Of a restricted script.
    rights: Option<Permissions>,
}

impl Opener {
    /// For the engine that `ctx` belongs to.
    pub(super) fn of(ctx: &Ctx<'_>) -> Self {
        Opener { rights: gate::restricted(ctx) }
    }

    /// Opens a file.
    pub(super) fn open(&self, path: &str, flags: u32, mode: u32) -> FsResult<File> {
        let Some(rights) = &self.rights else { return Ok(open_file(path, flags, mode)?) };
        // A file that is made is not made through a link that has just appeared.
        let follows = if flags & MAKES != 0 && is_entry(path) { NO_LINK } else { 0 };
        // Nothing is cut off before it is known to be the right file.
        let file = open_file(path, flags & !CUTS | follows, mode)?;
        let asked = [(may_read(flags), Access::Read(path)), (may_change(flags), Access::Write(path))];
        if asked.into_iter().any(|(asks, access)| asks && rights.check_opened(&file, access).is_err()) {
            return Err(FsError { code: "EACCES", number: 13, text: "permission denied" });
        }
        if flags & CUTS != 0 && file.metadata()?.is_file() {
            file.set_len(0)?;
        }
        Ok(file)
    }

    /// Copies a file, with what is known of who may do what with it.
    pub(super) fn copy(&self, from: &str, to: &str) -> FsResult<()> {
        if self.rights.is_none() {
            std::fs::copy(from, to)?;
            return Ok(());
        }
        const READS: u32 = 0;
        const WRITES_ANEW: u32 = 0o1 | MAKES | CUTS;
        let mut source = self.open(from, READS, 0)?;
        let rights = source.metadata()?.permissions();
        let mut copy = self.open(to, WRITES_ANEW, 0o600)?;
        io::copy(&mut source, &mut copy)?;
        Ok(copy.set_permissions(rights)?)
    }
}

/// Opens a file with Node's flags.
fn open_file(path: &str, flags: u32, mode: u32) -> io::Result<File> {
    #[cfg(unix)]
    {
        use rustix::fs::{Mode, OFlags};
        const BITS: [(u32, OFlags); 10] = [
            (0o1, OFlags::WRONLY),
            (0o2, OFlags::RDWR),
            (0o100, OFlags::CREATE),
            (0o200, OFlags::EXCL),
            (0o400, OFlags::NOCTTY),
            (0o1000, OFlags::TRUNC),
            (0o2000, OFlags::APPEND),
            (0o4000, OFlags::NONBLOCK),
            (0o200_000, OFlags::DIRECTORY),
            (0o400_000, OFlags::NOFOLLOW),
        ];
        let own =
            BITS.iter().filter(|(bit, _)| flags & bit == *bit).fold(OFlags::CLOEXEC, |all, (_, flag)| all | *flag);
        let mode = Mode::from_raw_mode(mode as _);
        Ok(File::from(rustix::fs::open(path, own, mode)?))
    }
    #[cfg(not(unix))]
    {
        let _ = mode;
        let (write, append) = (flags & 3 != 0, flags & 0o2000 != 0);
        let mut options = std::fs::OpenOptions::new();
        options.read(flags & 1 == 0).write(write && !append).append(append);
        options.truncate(flags & 0o1000 != 0);
        options.create(flags & 0o100 != 0).create_new(flags & 0o300 == 0o300);
        options.open(path)
    }
}
