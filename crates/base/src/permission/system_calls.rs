//! Refuses system calls by which a program could reach protected files through other processes (seccomp, on Linux): input for the
//! user's terminal, sockets of the user's daemons.

use std::io;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule, TargetArch,
};

/// `ioctl` requests that insert text into the input of a terminal.
const TYPING: [u64; 2] = [libc::TIOCSTI, libc::TIOCLINUX];

/// Calls that are always refused: `io_uring` makes system calls that are not filtered; the others change the system, as root.
const REFUSED: [i64; 6] = [
    libc::SYS_io_uring_setup,
    libc::SYS_bpf,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_kexec_load,
    libc::SYS_open_by_handle_at,
];

/// Restricts this thread and the programs that it starts from now on. On an error the program must not be started.
pub(super) fn confine() -> io::Result<()> {
    let program = filter().map_err(io::Error::other)?;
    seccompiler::apply_filter(&program).map_err(io::Error::other)
}

fn filter() -> Result<BpfProgram, seccompiler::BackendError> {
    let refused = SeccompAction::Errno(libc::EPERM.cast_unsigned());
    let mut rules: std::collections::BTreeMap<_, _> = REFUSED.iter().map(|call| (*call, Vec::new())).collect();
    rules.insert(libc::SYS_ioctl, TYPING.iter().map(|request| equal(1, *request)).collect::<Result<_, _>>()?);
    rules.insert(libc::SYS_socket, vec![equal(0, libc::AF_UNIX.cast_unsigned().into())?]);
    // Pairs of connected sockets are harmless, but datagram sockets can be connected to others.
    rules.insert(libc::SYS_socketpair, vec![masked(1, 0xf, libc::SOCK_DGRAM.cast_unsigned().into())?]);
    let architecture = TargetArch::try_from(std::env::consts::ARCH)?;
    SeccompFilter::new(rules, SeccompAction::Allow, refused, architecture)?.try_into()
}

fn masked(argument: u8, mask: u64, value: u64) -> Result<SeccompRule, seccompiler::BackendError> {
    let operator = SeccompCmpOp::MaskedEq(mask);
    SeccompRule::new(vec![SeccompCondition::new(argument, SeccompCmpArgLen::Dword, operator, value)?])
}

fn equal(argument: u8, value: u64) -> Result<SeccompRule, seccompiler::BackendError> {
    SeccompRule::new(vec![SeccompCondition::new(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, value)?])
}
