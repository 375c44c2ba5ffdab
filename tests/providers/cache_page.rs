//! The figures of docs/guide/prompt-cache.md: ten steps of its files, with a server that keeps prompts as OpenAI does.

use std::fs;

use crate::support::{
    Folder, Outcome,
    caching::{CachingServer, Reply},
    root,
};

const STEPS: usize = 10;

#[test]
fn the_page_shows_what_is_read_from_the_cache() {
    let page = fs::read_to_string(root().join("docs/guide/prompt-cache.md")).unwrap();
    let shares = ["before.lmt.mjs", "after.lmt.mjs"].map(|file| {
        let (input, read) = counts_of(&page, file);
        let share = read as f64 * 100.0 / input as f64;
        let shown = format!("{share:.1}").trim_end_matches(".0").to_owned();
        let row = format!("| `{file}` | {} | {} | {shown} % |", grouped(input), grouped(read));
        assert!(page.contains(&row), "the page lacks {row}");
        share
    });
    assert!(shares[0] < 1.0 && shares[1] > 95.0, "{shares:?}");
}

/// The tokens of all steps after the first, and how many of them were read from the cache.
fn counts_of(page: &str, file: &str) -> (usize, usize) {
    let block = page.split("```js\n").find(|block| block.starts_with(&format!("// {file}\n"))).unwrap();
    let folder = Folder::of(block.split("```").next().unwrap());
    let reply = |number, _: &_| if number + 1 < STEPS { Reply::call("note") } else { Reply::text("A refund.") };
    let server = CachingServer::start(reply, Vec::new(), true);
    let mut command = folder.bare_command("run p.lmt.mjs");
    let outcome = Outcome::of(command.envs(server.variables()));
    assert_eq!(outcome.code, 0, "{outcome:?}");
    let counts = server.counts();
    assert_eq!(counts.len(), STEPS, "{file}");
    counts.iter().skip(1).fold((0, 0), |(input, read), step| (input + step.input, read + step.read))
}

/// Example: `57,122`.
fn grouped(count: usize) -> String {
    if count < 1_000 { count.to_string() } else { format!("{},{:03}", count / 1_000, count % 1_000) }
}
