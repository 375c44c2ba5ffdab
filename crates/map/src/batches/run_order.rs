//! Runs within a row that differ only in the order in which they begin, which may change from one run of the row to the
//! next (docs/reference/batches.md#steps).

use std::{cell::RefCell, rc::Rc};

/// Requests that belong to another run now, with its key.
pub(crate) type Moved = Rc<RefCell<Vec<(i64, String)>>>;

/// The key of a run without its number among runs of the same function and input. Empty for the file's own prompt.
pub(super) fn family(key: &str) -> &str {
    key.rsplit_once('#').map_or(key, |(family, _)| family)
}

/// The key after the runs `one` and `other` have changed places, if it is of one of them, or of a run within it.
pub(super) fn exchanged(key: &str, one: &str, other: &str) -> Option<String> {
    let within = |run: &str| key.strip_prefix(run).filter(|rest| rest.is_empty() || rest.starts_with('/'));
    let (rest, run) = within(one).map(|rest| (rest, other)).or_else(|| within(other).map(|rest| (rest, one)))?;
    Some(format!("{run}{rest}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_change_places_with_all_that_is_in_them() {
        let of = |key| exchanged(key, "/-:p#0", "/-:p#1");
        assert_eq!(of("/-:p#0").as_deref(), Some("/-:p#1"));
        assert_eq!(of("/-:p#1/0:a@c#0").as_deref(), Some("/-:p#0/0:a@c#0"));
        assert_eq!((of("/-:p#10"), of("")), (None, None));
    }
}
