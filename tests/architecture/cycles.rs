//! Finds files that import each other in a cycle.

use std::collections::{BTreeMap, BTreeSet};

use crate::tree::Tree;

/// For each file, the files it depends on, and a name it takes from each.
pub(crate) type Graph<'a> = BTreeMap<&'a str, BTreeMap<&'a str, String>>;

pub(crate) fn graph<'a>(tree: &Tree<'a>) -> Graph<'a> {
    tree.modules().map(|(module, path)| (path, tree.dependencies(module))).collect()
}

/// The files of each cycle: sets in which every file reaches every other.
pub(crate) fn cycles<'a>(graph: &Graph<'a>) -> Vec<BTreeSet<&'a str>> {
    let reached: BTreeMap<&str, BTreeSet<&str>> = graph.keys().map(|file| (*file, reachable(graph, file))).collect();
    let mut cycles = BTreeSet::new();
    for (file, others) in &reached {
        if others.contains(file) {
            cycles.insert(others.iter().copied().filter(|other| reached[other].contains(file)).collect());
        }
    }
    cycles.into_iter().collect()
}

fn reachable<'a>(graph: &Graph<'a>, from: &str) -> BTreeSet<&'a str> {
    let mut reached = BTreeSet::new();
    let mut left: Vec<&'a str> = graph[from].keys().copied().collect();
    while let Some(file) = left.pop() {
        if reached.insert(file) {
            left.extend(graph[file].keys().copied());
        }
    }
    reached
}

/// The imports inside a cycle, one per line.
pub(crate) fn describe(graph: &Graph<'_>, cycle: &BTreeSet<&str>) -> String {
    let mut lines = Vec::new();
    for file in cycle {
        let inside = graph[file].iter().filter(|(target, _)| cycle.contains(*target));
        lines.extend(inside.map(|(target, name)| format!("  {file} -> {target} ({name})")));
    }
    format!("{} files import each other:\n{}", cycle.len(), lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sources::Source;

    #[test]
    fn cycles_are_found_through_re_exports() {
        let source = |path: &str, text: &str| Source { path: path.into(), text: text.into() };
        let sources = [
            source("src/lib.rs", "mod a; mod e;"),
            source("src/a/mod.rs", "mod b; mod c; mod d; pub use b::B; pub use c::*; use crate::e; fn f() { e::E }"),
            source("src/a/b.rs", "use super::C;"),
            source("src/a/c.rs", "use crate::a; pub struct C; fn f() { a::B }"),
            source("src/a/d.rs", "use super::f; use crate::a::b::B;"),
            source("src/e.rs", "pub struct E; #[cfg(test)] mod tests { use crate::a::f; }"),
        ];
        let tree = Tree::without_tests(&sources);
        let graph = graph(&tree);
        assert_eq!(cycles(&graph), [BTreeSet::from(["src/a/b.rs", "src/a/c.rs"])]);
        let text = describe(&graph, &cycles(&graph)[0]);
        assert!(text.contains("src/a/b.rs -> src/a/c.rs (super::C)\n  src/a/c.rs -> src/a/b.rs (a::B)"), "{text}");
        assert_eq!(graph["src/a/d.rs"].keys().copied().collect::<Vec<_>>(), ["src/a/b.rs", "src/a/mod.rs"]);
        assert_eq!(graph["src/a/mod.rs"].keys().copied().collect::<Vec<_>>(), ["src/e.rs"]);
    }
}
