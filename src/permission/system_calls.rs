//! System calls by which a program could do through others what it may not do itself (seccomp, on Linux): typing on the user's
//! terminal, talking to the user's daemons, and calls that these rules would not see.

use std::io;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule, TargetArch,
};

/// Requests of `ioctl` that put text into the input of a terminal.
const TYPING: [u64; 2] = [libc::TIOCSTI as u64, libc::TIOCLINUX as u64];

/// Calls that are refused whatever their arguments: those of `io_uring` make others that no filter sees; the rest changes the
/// system, for programs of root.
const REFUSED: [i64; 7] = [
    libc::SYS_io_uring_setup,
    libc::SYS_bpf,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_kexec_load,
    libc::SYS_mknod,
    libc::SYS_open_by_handle_at,
];

/// Gives these up, in this thread and in the programs that it starts from now on.
///
/// # Errors
/// The kernel does not hold it. Nothing may be started then.
pub(super) fn confine() -> io::Result<()> {
    let program = filter().map_err(io::Error::other)?;
    seccompiler::apply_filter(&program).map_err(io::Error::other)
}

fn filter() -> Result<BpfProgram, seccompiler::BackendError> {
    let refused = SeccompAction::Errno(libc::EPERM.cast_unsigned());
    let mut rules: std::collections::BTreeMap<_, _> = REFUSED.iter().map(|call| (*call, Vec::new())).collect();
    rules.insert(libc::SYS_ioctl, TYPING.iter().map(|request| equal(1, *request)).collect::<Result<_, _>>()?);
    // Abstract sockets and those in the file system alike. Pairs of sockets lead nowhere and stay.
    rules.insert(libc::SYS_socket, vec![equal(0, libc::AF_UNIX.cast_unsigned().into())?]);
    let architecture = TargetArch::try_from(std::env::consts::ARCH)?;
    SeccompFilter::new(rules, SeccompAction::Allow, refused, architecture)?.try_into()
}

fn equal(argument: u8, value: u64) -> Result<SeccompRule, seccompiler::BackendError> {
    SeccompRule::new(vec![SeccompCondition::new(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, value)?])
}
