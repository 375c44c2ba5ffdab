//! Lists that come in pages.

use std::ops::ControlFlow;

use serde::de::DeserializeOwned;

use super::remote::Remote;
use crate::ProviderError;

/// A page of a list.
pub(super) trait Page: DeserializeOwned {
    type Item;

    /// The parameter that asks for another page.
    const NEXT: &'static str;

    /// Its items, and the value of [`Page::NEXT`] for the next page. `at` is the one that it was asked with.
    fn split(self, at: Option<&str>) -> (Vec<Self::Item>, Option<String>);
}

/// Hands the items of a list to `on` until that breaks with what was looked for.
pub(super) async fn find<P: Page, T>(
    remote: &Remote,
    list: &[&str],
    query: &[(&str, &str)],
    mut on: impl FnMut(P::Item) -> ControlFlow<Option<T>>,
) -> Result<Option<T>, ProviderError> {
    let mut at: Option<String> = None;
    loop {
        let query: Vec<(&str, &str)> = query.iter().copied().chain(at.as_deref().map(|at| (P::NEXT, at))).collect();
        let (items, next) = remote.get::<P>(list, &query).await?.split(at.as_deref());
        for item in items {
            if let ControlFlow::Break(found) = on(item) {
                return Ok(found);
            }
        }
        // The same page again would be read for ever.
        if next.is_none() || next == at {
            return Ok(None);
        }
        at = next;
    }
}

/// Ends a search with the item that is meant.
pub(super) fn found<T>(item: T, is_meant: bool) -> ControlFlow<Option<T>> {
    if is_meant { ControlFlow::Break(Some(item)) } else { ControlFlow::Continue(()) }
}
