//! Opens files with Node's flags (the numbers of Linux, see `fs/constants.js`).
//!
//! For a restricted script the opened file is checked again, because a link may have changed since the first check.

use std::{fs::File, io};

use rquickjs::Ctx;

use super::error::{FsError, FsResult};
use crate::gate;
use lmthing_base::permission::{Access, Permissions, is_pinned_entry};

const TRUNCATE: u32 = 0o1000;

const CREATE: u32 = 0o100;

const NO_FOLLOW: u32 = 0o400_000;

/// Whether these flags open a file for reading.
pub(super) fn may_read(flags: u32) -> bool {
    const WRITE_ONLY: u32 = 0o1;
    flags & 0o3 != WRITE_ONLY
}

/// Whether these flags create, truncate or open a file for writing.
pub(super) fn may_change(flags: u32) -> bool {
    const WRITE: u32 = 0o3;
    flags & (WRITE | CREATE | TRUNCATE) != 0
}

pub(super) fn refuses_links(flags: u32) -> bool {
    flags & NO_FOLLOW != 0
}

#[derive(Clone)]
pub(super) struct Opener {
    /// Of a restricted script.
    rights: Option<Permissions>,
}

impl Opener {
    pub(super) fn of(ctx: &Ctx<'_>) -> Self {
        Opener { rights: gate::restricted(ctx) }
    }

    pub(super) fn open(&self, path: &str, flags: u32, mode: u32) -> FsResult<File> {
        let Some(rights) = &self.rights else { return Ok(open_file(path, flags, mode)?) };
        // A new file must not be created through a link that has just appeared.
        let no_follow = if flags & CREATE != 0 && is_pinned_entry(path) { NO_FOLLOW } else { 0 };
        // Truncated only after the check below.
        let file = open_file(path, flags & !TRUNCATE | no_follow, mode)?;
        let accesses = [(may_read(flags), Access::Read(path)), (may_change(flags), Access::Write(path))];
        if accesses.into_iter().any(|(is_used, access)| is_used && rights.check_opened(&file, access).is_err()) {
            return Err(FsError { code: "EACCES", number: 13, text: "permission denied" });
        }
        if flags & TRUNCATE != 0 && file.metadata()?.is_file() {
            file.set_len(0)?;
        }
        Ok(file)
    }

    /// Copies contents and mode of a file.
    pub(super) fn copy(&self, from: &str, to: &str) -> FsResult<()> {
        if self.rights.is_none() {
            std::fs::copy(from, to)?;
            return Ok(());
        }
        const READ_ONLY: u32 = 0;
        const WRITE_NEW: u32 = 0o1 | CREATE | TRUNCATE;
        let mut source = self.open(from, READ_ONLY, 0)?;
        let rights = source.metadata()?.permissions();
        let mut copy = self.open(to, WRITE_NEW, 0o600)?;
        io::copy(&mut source, &mut copy)?;
        Ok(copy.set_permissions(rights)?)
    }
}

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
