//! Reads whole files that a user names. Devices are refused, as `/dev/zero` has no end, and the wait for the writer of a named pipe
//! is limited.

use std::{
    fs::{self, File, Metadata},
    io::{self, Read},
    path::Path,
    sync::mpsc,
    thread,
    time::Duration,
};

/// The largest text: the limit of a JavaScript string.
pub const MAX_TEXT: u64 = 1 << 30;

/// The largest file of settings, keys or mock answers.
pub const MAX_SETTINGS: u64 = 64 << 20;

/// How long a named pipe may be without a writer: a shell starts the two ends of one at the same time.
const PATIENCE: Duration = Duration::from_secs(3);

pub fn read(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let file = open(path)?;
    if file.metadata()?.len() > limit {
        return Err(too_large(limit));
    }
    read_all(file, limit)
}

/// The UTF-8 text of a file or a pipe, up to `limit` bytes.
pub fn read_text(path: &Path, limit: u64) -> io::Result<String> {
    let text = String::from_utf8(read(path, limit)?);
    text.map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8 text"))
}

/// Reads a source, such as standard input, to its end. More than `limit` bytes are an error.
pub fn read_all(source: impl Read, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let count = source.take(limit + 1).read_to_end(&mut bytes)?;
    if count as u64 > limit { Err(too_large(limit)) } else { Ok(bytes) }
}

pub fn open(path: &Path) -> io::Result<File> {
    let found = fs::metadata(path)?;
    if found.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if is_device(&found) {
        return Err(io::Error::other("it is a device, and only files and pipes are read"));
    }
    if is_named_pipe(&found) { open_pipe(path) } else { File::open(path) }
}

/// Opening a named pipe blocks until a writer opens it.
fn open_pipe(path: &Path) -> io::Result<File> {
    let (opened, open) = mpsc::channel();
    let waiting = path.to_owned();
    thread::spawn(move || opened.send(File::open(waiting)));
    open.recv_timeout(PATIENCE).unwrap_or_else(|_| {
        release(path);
        Err(io::Error::other("it is a named pipe, and no program opened it for writing within 3 seconds"))
    })
}

fn too_large(limit: u64) -> io::Error {
    io::Error::other(format!("it is larger than {} MiB", limit >> 20))
}

#[cfg(unix)]
fn is_named_pipe(found: &Metadata) -> bool {
    std::os::unix::fs::FileTypeExt::is_fifo(&found.file_type())
}

/// Whether it is a device other than the terminal, where input ends with Ctrl-D, and `/dev/null`.
#[cfg(unix)]
fn is_device(found: &Metadata) -> bool {
    use std::os::unix::fs::{FileTypeExt, MetadataExt};
    if !found.file_type().is_char_device() {
        return found.file_type().is_block_device();
    }
    let device_at = |path: &str| fs::metadata(path).map(|found| found.rdev()).ok();
    let terminal = io::IsTerminal::is_terminal(&io::stdin()).then(|| device_at("/dev/stdin")).flatten();
    ![device_at("/dev/null"), device_at("/dev/tty"), terminal].contains(&Some(found.rdev()))
}

/// Ends the wait for a writer, and with it the thread.
#[cfg(unix)]
fn release(path: &Path) {
    use rustix::fs::{Mode, OFlags};
    let _ = rustix::fs::open(path, OFlags::WRONLY | OFlags::NONBLOCK, Mode::empty());
}

#[cfg(not(unix))]
fn release(_path: &Path) {}

#[cfg(not(unix))]
fn is_named_pipe(_found: &Metadata) -> bool {
    false
}

#[cfg(not(unix))]
fn is_device(_found: &Metadata) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_so_much_is_read() {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), "12345").unwrap();
        assert_eq!(read_text(file.path(), 5).unwrap(), "12345");
        assert!(read(file.path(), 4).is_err());
        assert!(read_all(&b"12345"[..], 4).is_err());
        assert_eq!(read(Path::new("/"), 4).unwrap_err().kind(), io::ErrorKind::IsADirectory);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn devices_are_not_read() {
        assert_eq!(read(Path::new("/dev/null"), 4).unwrap(), b"");
        for device in ["/dev/zero", "/dev/urandom", "/dev/full"] {
            let error = read(Path::new(device), MAX_TEXT).unwrap_err();
            assert_eq!(error.to_string(), "it is a device, and only files and pipes are read", "{device}");
        }
    }
}
