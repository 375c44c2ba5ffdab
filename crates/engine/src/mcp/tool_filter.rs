//! Selects tools of a server: `include` and `exclude`.

/// Globs over names: `*` matches any characters, `?` matches one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolFilter {
    /// Only these; all if `None`.
    pub include: Option<Vec<String>>,
    /// Excluded even if included.
    pub exclude: Vec<String>,
}

impl ToolFilter {
    pub fn admit(&self, name: &str) -> bool {
        let is_included = self.include.as_ref().is_none_or(|patterns| fits_any(patterns, name));
        is_included && !fits_any(&self.exclude, name)
    }
}

fn fits_any(patterns: &[String], name: &str) -> bool {
    let name: Vec<char> = name.chars().collect();
    patterns.iter().any(|pattern| fits(&pattern.chars().collect::<Vec<_>>(), &name))
}

/// Backtracks to the last `*` only, so the time is at most the product of both lengths.
fn fits(pattern: &[char], name: &[char]) -> bool {
    let (mut at, mut seen) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while seen < name.len() {
        match pattern.get(at) {
            Some('*') => {
                star = Some((at, seen));
                at += 1;
            }
            Some(wanted) if *wanted == '?' || *wanted == name[seen] => {
                at += 1;
                seen += 1;
            }
            _ => {
                let Some((place, taken)) = star else { return false };
                star = Some((place, taken + 1));
                at = place + 1;
                seen = taken + 1;
            }
        }
    }
    pattern[at..].iter().all(|rest| *rest == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_included_and_excluded() {
        let all = ToolFilter::default();
        assert!(all.admit("anything"));
        let patterns = ToolFilter {
            include: Some(vec!["read_*".into(), "list".into()]),
            exclude: vec!["*_secret".into(), "read_?".into()],
        };
        for (name, is_meant) in [
            ("read_file", true),
            ("list", true),
            ("listing", false),
            ("write_file", false),
            ("read_secret", false),
            ("read_a", false),
            ("read_", true),
        ] {
            assert_eq!(patterns.admit(name), is_meant, "{name}");
        }
        let none = ToolFilter { include: Some(Vec::new()), exclude: Vec::new() };
        assert!(!none.admit("x"));
    }

    #[test]
    fn stars_meet_anything() {
        let fits = |pattern: &str, name: &str| fits_any(&[pattern.to_owned()], name);
        assert!(fits("*a*b*", "xxaxxbxx") && fits("a*", "a") && fits("*", ""));
        assert!(!fits("a*b", "abc") && !fits("?", "") && !fits("a", "A"));
        assert!(!fits(&"*a".repeat(40), &"a".repeat(39)));
    }
}
