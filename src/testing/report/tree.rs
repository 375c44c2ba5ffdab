//! The tests of a file below their `describe` blocks. Must not know how they are shown.

use crate::testing::outcome::{State, TestOutcome};

/// A test, or a block of them.
pub(super) enum Node<'a> {
    /// A test.
    Test(&'a TestOutcome),
    /// A block.
    Suite(Suite<'a>),
}

/// A `describe` block. Two of the same title that follow each other are one: results do not tell them apart.
pub(super) struct Suite<'a> {
    /// Its title.
    pub(super) title: &'a str,
    /// All tests in it, those of inner blocks included.
    pub(super) tests: &'a [TestOutcome],
    depth: usize,
}

/// What stands at the top of a file.
pub(super) fn top(tests: &[TestOutcome]) -> Vec<Node<'_>> {
    nodes(tests, 0)
}

impl<'a> Suite<'a> {
    /// What stands in it.
    pub(super) fn children(&self) -> Vec<Node<'a>> {
        nodes(self.tests, self.depth + 1)
    }

    /// Whether a test in it failed.
    pub(super) fn has_failed(&self) -> bool {
        self.tests.iter().any(|test| test.state == State::Failed)
    }

    /// How many blocks it is, itself included, and how many of them failed.
    pub(super) fn count(&self) -> (usize, usize) {
        let inner = self.children().iter().map(Node::count).fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
        (inner.0 + 1, inner.1 + usize::from(self.has_failed()))
    }
}

impl Node<'_> {
    /// [`Suite::count`]; none for a test.
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

/// A test, or tests with the same block at `depth`.
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
    use crate::testing::report::samples::test;

    fn text(nodes: &[Node<'_>]) -> String {
        let text = |node: &Node<'_>| match node {
            Node::Test(test) => test.title.clone(),
            Node::Suite(suite) => format!("{}({})", suite.title, text(&suite.children())),
        };
        nodes.iter().map(text).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn tests_stand_in_their_blocks_in_their_order() {
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
        assert_eq!(text(&top(&tests)), "1 a(2 b(3 4) 5) c(b(6)) 7 a(8)");
        assert_eq!(top(&tests).iter().map(|node| node.count().0).sum::<usize>(), 5);
    }
}
