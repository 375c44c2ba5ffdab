//! What the prompt cache saved, for people: the line of `-v`, and the figure in the closing line of a run.

use super::numbers::{cost, grouped};
use lmthing_base::{
    chat::{CacheBreak, CacheBreakKind, StepCache, Usage},
    event::RunSummary,
};

/// Example: ``cache: 82 % read; section `role` changed, 12 400 tokens anew, $0.03``. `None` for a request that is too
/// short to be cached, and where the provider says nothing of its cache and nothing has changed. `shown` prepares names for the terminal.
pub(in crate::cli) fn cache_line(cache: &StepCache, usage: &Usage, shown: impl Fn(&str) -> String) -> Option<String> {
    if cache.read == 0 && cache.expected == 0 {
        return None;
    }
    let read = match percent(cache.read, usage.input_tokens) {
        _ if cache.read == 0 && !usage.has_cache_count => None,
        Some(percent) => Some(format!("{percent} % read")),
        None => Some(format!("{} tokens read", spaced(cache.read))),
    };
    let broken = cache.broken_by.as_ref().map(|broken| reason(broken, shown));
    let known: Vec<String> = read.into_iter().chain(broken).collect();
    (!known.is_empty()).then(|| format!("cache: {}", known.join("; ")))
}

/// The share of a run's input that was read from the cache, such as `82 % from the cache`.
pub(super) fn cache_figure(summary: &RunSummary) -> Option<String> {
    let usage = &summary.usage;
    let read = usage.cached_input_tokens.unwrap_or(0);
    // Runs that could read nothing have no figure.
    let was_expected = summary.cache.as_ref().is_some_and(|cache| cache.expected > 0) && usage.has_cache_count;
    if read == 0 && !was_expected {
        return None;
    }
    Some(format!("{} % from the cache", percent(read, usage.input_tokens)?))
}

fn reason(broken: &CacheBreak, shown: impl Fn(&str) -> String) -> String {
    let name = broken.name.as_deref().map(|name| format!(" `{}`", shown(name))).unwrap_or_default();
    let what = match broken.kind {
        CacheBreakKind::Section if name.is_empty() => "options.system changed".to_owned(),
        CacheBreakKind::Section => format!("section{name} changed"),
        CacheBreakKind::Variable => format!("variable{name} changed"),
        CacheBreakKind::Tools if name.is_empty() => "tools changed".to_owned(),
        CacheBreakKind::Tools => format!("tool{name} changed"),
        CacheBreakKind::Message => "an earlier message changed".to_owned(),
        CacheBreakKind::Settings => format!("setting{name} changed"),
        CacheBreakKind::Model => format!("model{name} answers now"),
        CacheBreakKind::Provider => "not yours: evicted, too short or too late".to_owned(),
    };
    let price = broken.cost.map(|dollars| format!(", {}", cost(Some(dollars)))).unwrap_or_default();
    format!("{what}, {} tokens anew{price}", spaced(broken.tokens))
}

/// Rounded, but 100 only for all of it.
fn percent(read: u64, input: Option<u64>) -> Option<u64> {
    let input = input.filter(|input| *input > 0)?;
    let rounded = (u128::from(read) * 100 + u128::from(input) / 2) / u128::from(input);
    let percent = u64::try_from(rounded).ok()?;
    Some(if percent >= 100 && read < input { 99 } else { percent.min(100) })
}

fn spaced(count: u64) -> String {
    grouped(count).replace(',', " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(kind: CacheBreakKind, name: Option<&str>, cost: Option<f64>) -> String {
        let broken_by = Some(CacheBreak { kind, name: name.map(str::to_owned), tokens: 12_400, cost });
        let cache = StepCache { read: 8_200, expected: 20_000, broken_by, ..StepCache::default() };
        cache_line(&cache, &Usage::new(Some(10_000), None), str::to_uppercase).unwrap()
    }

    #[test]
    fn lines_say_what_was_read_and_what_has_changed() {
        assert_eq!(
            line(CacheBreakKind::Section, Some("role"), Some(0.03)),
            "cache: 82 % read; section `ROLE` changed, 12 400 tokens anew, $0.03"
        );
        for (kind, name, what) in [
            (CacheBreakKind::Section, None, "options.system changed"),
            (CacheBreakKind::Variable, Some("x"), "variable `X` changed"),
            (CacheBreakKind::Tools, Some("x"), "tool `X` changed"),
            (CacheBreakKind::Tools, None, "tools changed"),
            (CacheBreakKind::Message, None, "an earlier message changed"),
            (CacheBreakKind::Settings, Some("tier"), "setting `TIER` changed"),
            (CacheBreakKind::Model, Some("a:b"), "model `A:B` answers now"),
            (CacheBreakKind::Provider, None, "not yours: evicted, too short or too late"),
        ] {
            assert_eq!(line(kind, name, None), format!("cache: 82 % read; {what}, 12 400 tokens anew"));
        }
    }

    #[test]
    fn requests_that_cannot_be_cached_have_no_line() {
        let usage = Usage { has_cache_count: true, ..Usage::new(Some(10_000), None) };
        let read = |read, expected| StepCache { read, expected, ..StepCache::default() };
        assert_eq!(cache_line(&read(0, 0), &usage, str::to_owned), None);
        assert_eq!(cache_line(&read(0, 5_000), &usage, str::to_owned).as_deref(), Some("cache: 0 % read"));
        assert_eq!(cache_line(&read(9_999, 0), &usage, str::to_owned).as_deref(), Some("cache: 99 % read"));
        assert_eq!(cache_line(&read(0, 5_000), &Usage::new(Some(10_000), None), str::to_owned), None);
        let unknown = Usage::new(None, None);
        assert_eq!(cache_line(&read(1_234, 0), &unknown, str::to_owned).as_deref(), Some("cache: 1 234 tokens read"));
    }

    #[test]
    fn the_figure_of_a_run_counts_all_of_its_steps() {
        let figure = |input, cached, expected: Option<u64>, has_cache_count| {
            let usage = Usage { cached_input_tokens: cached, has_cache_count, ..Usage::new(Some(input), None) };
            let cache = expected.map(|expected| StepCache { expected, ..StepCache::default() });
            let mut summary = RunSummary::default();
            (summary.usage, summary.cache) = (usage, cache);
            cache_figure(&summary)
        };
        // The first step read 2 500 tokens of an earlier run.
        assert_eq!(figure(10_000, Some(5_000), Some(2_600), true).as_deref(), Some("50 % from the cache"));
        assert_eq!(figure(10_000, Some(2_500), None, true).as_deref(), Some("25 % from the cache"));
        assert_eq!(figure(10_000, Some(0), Some(4_096), true).as_deref(), Some("0 % from the cache"));
        for (cached, expected, is_reported) in
            [(Some(0), Some(0), true), (Some(0), Some(4_096), false), (None, None, false)]
        {
            assert_eq!(figure(10_000, cached, expected, is_reported), None);
        }
    }
}
