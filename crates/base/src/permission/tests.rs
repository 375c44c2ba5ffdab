use super::*;

#[test]
fn everything_is_allowed_by_default() {
    let all = Permissions::default();
    assert!(all.allow_all());
    for access in [Access::Network("a"), Access::Run("a"), Access::Write("a"), Access::Process("a")] {
        assert_eq!(all.check(access), Ok(()));
    }
}

#[test]
fn refusals_name_the_reason_and_the_access() {
    let rights = Permissions::reading_only("check renders");
    assert!(!rights.allow_all());
    let message = |access| rights.check(access).unwrap_err().message;
    assert_eq!(
        message(Access::Network("https://example.org")),
        "check renders without network: access to https://example.org is refused"
    );
    assert_eq!(message(Access::Run("git")), "check renders without other programs: git is not run");
    assert_eq!(message(Access::Write("a.txt")), "check renders without writing: a.txt is left as it is");
    assert_eq!(
        message(Access::Process("process.chdir('/')")),
        "check renders without changing the process: process.chdir('/') is refused"
    );
}

#[test]
fn a_shared_process_cannot_be_changed() {
    let all = Permissions::default().sharing_process("rows run");
    assert_eq!((all.may_change_process(), all.check(Access::Write("a"))), (false, Ok(())));
    let restricted = Permissions::restricted(Restricted::default()).sharing_process("rows run");
    for rights in [all, restricted] {
        let message = rights.check(Access::Process("process.chdir('/')")).unwrap_err().message;
        assert_eq!(message, "rows run without changing the process: process.chdir('/') is refused");
    }
}
