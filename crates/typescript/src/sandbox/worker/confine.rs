//! Gives up the rights of the worker before it reads model-written code.
//!
//! On Linux: death with its parent, resource limits, landlock (no files, no network ports), and a seccomp filter that
//! allows computing, memory without execution rights, and the two pipes. Elsewhere: the resource limits of the
//! platform. Restrictions that the kernel does not support are reported, and the others still apply.

use std::fmt::Display;

/// Memory for the checker and the process besides JavaScript memory, including 256 MiB of reserved stack.
const BASE_MEMORY: u64 = 704 * 1024 * 1024;
/// Address space that is reserved but not used (thread stacks, allocator arenas).
const ADDRESS_SPACE: u64 = 4 * 1024 * 1024 * 1024;

/// Applies the restrictions that affect the calling thread and threads it starts. Must be called before these start.
pub(super) fn before_threads(memory_bytes: usize) -> Vec<String> {
    let mut missing = Vec::new();
    platform::before_threads(memory_bytes, &mut missing);
    missing
}

/// Applies the restriction of all threads, which forbids starting more.
pub(super) fn all_threads() -> Vec<String> {
    let mut missing = Vec::new();
    platform::all_threads(&mut missing);
    missing
}

fn report_missing(missing: &mut Vec<String>, part: &str, result: Result<(), impl Display>) {
    if let Err(error) = result {
        missing.push(format!("the sandbox runs without {part}: {error}"));
    }
}

#[cfg(unix)]
fn limit_resources(memory_bytes: usize, missing: &mut Vec<String>) {
    use rustix::process::{Resource, Rlimit, setrlimit};

    let memory = BASE_MEMORY + memory_bytes as u64;
    let limits = [
        ("a limit on core dumps", Resource::Core, 0),
        ("a limit on files written", Resource::Fsize, 0),
        ("a limit on open files", Resource::Nofile, 0),
        #[cfg(not(target_os = "macos"))]
        ("a limit on memory", Resource::Data, memory),
        #[cfg(not(target_os = "macos"))]
        ("a limit on address space", Resource::As, ADDRESS_SPACE + memory),
    ];
    for (name, resource, value) in limits {
        let limit = Rlimit { current: Some(value), maximum: Some(value) };
        report_missing(missing, name, setrlimit(resource, limit));
    }
}

#[cfg(target_os = "linux")]
mod platform {
    use std::collections::BTreeMap;

    use landlock::{
        ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, Ruleset, RulesetAttr, RulesetError, Scope,
    };
    use seccompiler::{
        BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
        SeccompRule, TargetArch, apply_filter_all_threads,
    };

    use super::report_missing;

    pub(super) fn before_threads(memory_bytes: usize, missing: &mut Vec<String>) {
        let dies = rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL));
        report_missing(missing, "the parent's death signal", dies);
        let dump = rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable);
        report_missing(missing, "protection from debuggers", dump);
        super::limit_resources(memory_bytes, missing);
        // Kernels before 5.13 have no landlock; seccomp forbids the same calls.
        let _ = restrict_files_and_network();
    }

    pub(super) fn all_threads(missing: &mut Vec<String>) {
        report_missing(missing, "a system-call filter", filter_system_calls());
    }

    fn restrict_files_and_network() -> Result<(), RulesetError> {
        let ruleset = Ruleset::default()
            .set_compatibility(CompatLevel::BestEffort)
            .handle_access(AccessFs::from_all(ABI::V5))
            .and_then(|ruleset| ruleset.handle_access(AccessNet::from_all(ABI::V5)))
            .and_then(|ruleset| ruleset.scope(Scope::from_all(ABI::V6)))
            .and_then(|ruleset| ruleset.create())
            .and_then(|ruleset| ruleset.restrict_self());
        ruleset.map(|_| ())
    }

    /// Calls without dangerous arguments: memory, locks, time, randomness, exit.
    const HARMLESS: &[libc::c_long] = &[
        libc::SYS_munmap,
        libc::SYS_mremap,
        libc::SYS_madvise,
        libc::SYS_brk,
        libc::SYS_futex,
        libc::SYS_set_robust_list,
        libc::SYS_rseq,
        libc::SYS_membarrier,
        libc::SYS_clock_gettime,
        libc::SYS_clock_getres,
        libc::SYS_clock_nanosleep,
        libc::SYS_nanosleep,
        libc::SYS_gettimeofday,
        libc::SYS_getrandom,
        libc::SYS_getpid,
        libc::SYS_gettid,
        libc::SYS_sched_yield,
        libc::SYS_sched_getaffinity,
        libc::SYS_rt_sigaction,
        libc::SYS_rt_sigprocmask,
        libc::SYS_rt_sigreturn,
        libc::SYS_sigaltstack,
        libc::SYS_restart_syscall,
        libc::SYS_exit,
        libc::SYS_exit_group,
    ];

    fn filter_system_calls() -> Result<(), seccompiler::Error> {
        let mut rules: BTreeMap<i64, Vec<SeccompRule>> = HARMLESS.iter().map(|call| (*call, Vec::new())).collect();
        let no_execution = u64::from(libc::PROT_EXEC.cast_unsigned());
        for call in [libc::SYS_mmap, libc::SYS_mprotect] {
            rules.insert(call, vec![rule(2, SeccompCmpOp::MaskedEq(no_execution), 0)?]);
        }
        // Files that were opened before cannot be read or written.
        for (call, descriptor) in
            [(libc::SYS_read, 0), (libc::SYS_readv, 0), (libc::SYS_write, 1), (libc::SYS_writev, 1)]
        {
            rules.insert(call, vec![rule(0, SeccompCmpOp::Eq, descriptor)?]);
        }
        // Only to itself, as `abort` does.
        rules.insert(libc::SYS_tgkill, vec![rule(0, SeccompCmpOp::Eq, u64::from(std::process::id()))?]);
        let architecture = TargetArch::try_from(std::env::consts::ARCH)?;
        let denied = SeccompAction::Errno(libc::EPERM.cast_unsigned());
        let program: BpfProgram = SeccompFilter::new(rules, denied, SeccompAction::Allow, architecture)?.try_into()?;
        apply_filter_all_threads(&program)
    }

    fn rule(argument: u8, operator: SeccompCmpOp, value: u64) -> Result<SeccompRule, BackendError> {
        SeccompCondition::new(argument, SeccompCmpArgLen::Qword, operator, value)
            .and_then(|condition| SeccompRule::new(vec![condition]))
    }
}

#[cfg(all(unix, not(target_os = "linux")))]
mod platform {
    pub(super) fn before_threads(memory_bytes: usize, missing: &mut Vec<String>) {
        super::limit_resources(memory_bytes, missing);
    }

    pub(super) fn all_threads(_: &mut Vec<String>) {}
}

#[cfg(not(unix))]
mod platform {
    pub(super) fn before_threads(_: usize, missing: &mut Vec<String>) {
        missing.push("the sandbox runs without limits of the operating system on this platform".to_owned());
    }

    pub(super) fn all_threads(_: &mut Vec<String>) {}
}
