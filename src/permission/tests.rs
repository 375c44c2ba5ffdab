use super::*;

#[test]
fn everything_is_allowed_unless_it_is_said_otherwise() {
    let all = Permissions::default();
    assert!(all.allow_all());
    for access in [Access::Network("a"), Access::Run("a"), Access::Write("a"), Access::Process("a")] {
        assert_eq!(all.check(access), Ok(()));
    }
}

#[test]
fn a_refusal_says_who_refuses_what() {
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
fn the_process_is_nobodys_own_where_it_is_shared() {
    let all = Permissions::default().sharing_process("rows run");
    assert_eq!((all.own_process(), all.check(Access::Write("a"))), (false, Ok(())));
    let restricted = Permissions::restricted(Restricted::default()).sharing_process("rows run");
    for rights in [all, restricted] {
        let message = rights.check(Access::Process("process.chdir('/')")).unwrap_err().message;
        assert_eq!(message, "rows run without changing the process: process.chdir('/') is refused");
    }
}
