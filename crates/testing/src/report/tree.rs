//! The tests of a file grouped by their `describe` blocks.

use crate::outcome::{State, TestOutcome};

pub(super) enum Node<'a> {
    Test(&'a TestOutcome),
    Suite(Suite<'a>),
}

/// A `describe` block. Adjacent blocks with the same title are one, as results do not distinguish them.
pub(super) struct Suite<'a> {
    pub(super) title: &'a str,
    /// Includes the tests of nested blocks.
    pub(super) tests: &'a [TestOutcome],
    depth: usize,
}

pub(super) fn top_level(tests: &[TestOutcome]) -> Vec<Node<'_>> {
    nodes(tests, 0)
}

impl<'a> Suite<'a> {
    pub(super) fn children(&self) -> Vec<Node<'a>> {
        nodes(self.tests, self.depth + 1)
    }

    pub(super) fn has_failed(&self) -> bool {
        self.tests.iter().any(|test| test.state == State::Failed)
    }

    /// The number of blocks including itself, and of those that failed.
    pub(super) fn count(&self) -> (usize, usize) {
        let inner = self.children().iter().map(Node::count).fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
        (inner.0 + 1, inner.1 + usize::from(self.has_failed()))
    }
}

impl Node<'_> {
    pub(super) fn count(&self) -> (usize, usize) {
        match self {
            Node::Test(_) => (0, 0),
            Node::Suite(suite) => suite.count(),
        }
    }
}

fn nodes(tests: &[TestOutcome], depth: usize) -> Vec<Node<'_>> {
    let title = |test: &TestOutcome| test.ancestors.get(depth).cloned();
    let groups = tests.chunk_by(|one, next| one.ancestors.len() > depth && title(one) == title(next));
    groups.filter_map(|tests| node(tests, depth)).collect()
}

/// A test, or the block that the tests share at `depth`.
fn node(tests: &[TestOutcome], depth: usize) -> Option<Node<'_>> {
    let first = tests.first()?;
    Some(match first.ancestors.get(depth) {
        Some(title) => Node::Suite(Suite { title, tests, depth }),
        None => Node::Test(first),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::samples::test;

    fn text(nodes: &[Node<'_>]) -> String {
        let text = |node: &Node<'_>| match node {
            Node::Test(test) => test.title.clone(),
            Node::Suite(suite) => format!("{}({})", suite.title, text(&suite.children())),
        };
        nodes.iter().map(text).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn tests_are_grouped_by_block_in_order() {
        let test = |ancestors: &[&str], title| test(ancestors, title, State::Passed, None);
        let tests = [
            test(&[], "1"),
            test(&["a"], "2"),
            test(&["a", "b"], "3"),
            test(&["a", "b"], "4"),
            test(&["a"], "5"),
            test(&["c", "b"], "6"),
            test(&[], "7"),
            test(&["a"], "8"),
        ];
        assert_eq!(text(&top_level(&tests)), "1 a(2 b(3 4) 5) c(b(6)) 7 a(8)");
        assert_eq!(top_level(&tests).iter().map(|node| node.count().0).sum::<usize>(), 5);
    }
}
