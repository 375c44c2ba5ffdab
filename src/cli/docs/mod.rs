//! The documentation in the binary: pages and their topics, which `lmthing docs` prints.

mod find;
mod links;
mod sections;

use std::{io::Read, sync::OnceLock};

use flate2::read::DeflateDecoder;

pub(super) use find::{Found, NotFound, find};
use lmthing_check::declarations;

/// Path and text of each file, made by the build script.
static PACKED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/docs.bin"));

/// The declarations of prompt files, which are in the binary for type checks.
const DECLARATIONS: (&str, &str) = ("runtime-js/types/lmthing.d.ts", "/lmthing-types/lmthing.d.ts");

/// The list of all pages, which `lmthing docs` without a topic prints.
pub(super) const LIST: &str = "llms";

/// A file of the documentation.
struct Page {
    /// From the root of the repository.
    path: &'static str,
    /// Its name for `lmthing docs`, such as `guide/tools`. Those of a prompt file and of its test are the same.
    topic: &'static str,
    text: &'static str,
}

impl Page {
    fn new(path: &'static str, text: &'static str) -> Page {
        Page { path, topic: topic_of(path), text }
    }

    /// The last part of its topic, which names it as long as no other page has the same.
    fn short_name(&self) -> &'static str {
        self.topic.rsplit('/').next().unwrap_or(self.topic)
    }

    fn is_markdown(&self) -> bool {
        self.path.ends_with(".md") || self.topic == LIST
    }
}

fn topic_of(path: &'static str) -> &'static str {
    match path {
        "SKILL.md" => "skill",
        "SECURITY.md" => "security",
        "llms.txt" => LIST,
        _ if path.starts_with("examples/") => path.split('.').next().unwrap_or(path),
        _ if path == DECLARATIONS.0 => "lmthing.d.ts",
        _ => path.trim_start_matches("docs/").trim_end_matches(".md"),
    }
}

/// All pages, in the order of the list.
fn pages() -> &'static [Page] {
    static PAGES: OnceLock<Vec<Page>> = OnceLock::new();
    static TEXTS: OnceLock<String> = OnceLock::new();
    PAGES.get_or_init(|| {
        let texts = TEXTS.get_or_init(|| {
            let mut texts = String::new();
            DeflateDecoder::new(PACKED).read_to_string(&mut texts).expect("the build script compressed it");
            texts
        });
        let parts: Vec<&str> = texts.split_terminator('\0').collect();
        let packed = parts.chunks_exact(2).map(|pair| Page::new(pair[0], pair[1]));
        let declared = declarations::read(DECLARATIONS.1).map(|text| Page::new(DECLARATIONS.0, text));
        let mut pages: Vec<Page> = packed.chain(declared).collect();
        let list = pages.iter().find(|page| page.topic == LIST).map_or("", |list| list.text);
        pages.sort_by_key(|page| list.find(&format!("]({})", page.path.replace(".test.", "."))).unwrap_or(usize::MAX));
        pages
    })
}

/// All topics, each once.
pub(super) fn topics() -> Vec<&'static str> {
    let mut topics: Vec<&str> = pages().iter().map(|page| page.topic).collect();
    topics.dedup();
    topics
}

#[cfg(test)]
mod tests {
    use super::{find::find, links::printed, *};

    #[test]
    fn links_of_every_page_are_topics() {
        let mut count = 0;
        for page in pages() {
            let text = printed(page, page.text);
            let prose = sections::lines(&text).filter(|(_, _, is_fenced)| !is_fenced).map(|(_, line, _)| line);
            for line in prose.map(|line| line.split('`').step_by(2).collect::<String>()) {
                let targets = line.split("](").skip(1).filter_map(|rest| Some(rest.split_once(')')?.0));
                // Files of the repository that are not packed; the declarations are set by `main`.
                let elsewhere = ["://", "examples/eval/", "examples/scale/", "docs/maintainers/", "runtime-js/"];
                let is_inside = |target: &&str| !elsewhere.iter().any(|part| target.contains(part));
                for target in targets.filter(is_inside) {
                    let found = find(target).unwrap_or_else(|error| panic!("{}: {target}: {error:?}", page.path));
                    assert_eq!(found.topic, target, "{}", page.path);
                    count += 1;
                }
            }
        }
        assert!(count > 300, "only {count} links were found");
    }

    #[test]
    fn every_topic_is_found() {
        for topic in topics() {
            assert_eq!(find(topic).expect("it is known").topic, topic);
        }
        assert!(topics().len() > 80, "{:?}", topics());
    }
}
