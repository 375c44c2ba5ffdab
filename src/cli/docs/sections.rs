//! Pages as sections: each heading with what is below it.

use super::Page;

/// A heading of a page and what it is about.
#[derive(Clone, Copy)]
pub(super) struct Section {
    pub(super) page: &'static Page,
    /// Without `#`; empty for what comes before the first heading.
    pub(super) heading: &'static str,
    /// From the heading to the next one of any level.
    pub(super) own: &'static str,
    /// With the sections below this one.
    pub(super) whole: &'static str,
    /// The section is the page itself: that of its title.
    pub(super) is_page: bool,
}

impl Section {
    pub(super) fn anchor(&self) -> String {
        anchor(self.heading)
    }

    /// What `lmthing docs` calls it.
    pub(super) fn topic(&self) -> String {
        if self.is_page { self.page.topic.to_owned() } else { format!("{}#{}", self.page.topic, self.anchor()) }
    }
}

/// The anchor of a heading, by GitHub's rules.
pub(super) fn anchor(heading: &str) -> String {
    let stays = |letter: &char| letter.is_alphanumeric() || matches!(letter, ' ' | '-' | '_');
    heading.to_lowercase().chars().filter(stays).map(|letter| if letter == ' ' { '-' } else { letter }).collect()
}

/// Lines of a text, each with its position and whether it is in a fenced block.
pub(super) fn lines(text: &str) -> impl Iterator<Item = (usize, &str, bool)> {
    let mut at = 0;
    let mut is_fenced = false;
    text.split_inclusive('\n').map(move |line| {
        let start = at;
        at += line.len();
        let is_fence = line.trim_start().starts_with("```");
        is_fenced ^= is_fence;
        (start, line, is_fenced || is_fence)
    })
}

pub(super) fn sections(page: &'static Page) -> Vec<Section> {
    if !page.is_markdown() {
        return Vec::new();
    }
    let text = page.text;
    let mut headings: Vec<(usize, usize, &'static str)> = Vec::new();
    for (start, line, _) in lines(text).filter(|(_, _, is_fenced)| !is_fenced) {
        let level = line.bytes().take_while(|byte| *byte == b'#').count();
        if let Some(heading) = line[level..].strip_prefix(' ').filter(|_| (1..=6).contains(&level)) {
            headings.push((start, level, heading.trim_end()));
        }
    }
    let end_of = |at: usize, is_end: &dyn Fn(usize) -> bool| {
        let next = headings[at + 1..].iter().find(|(_, level, _)| is_end(*level));
        next.map_or(text.len(), |(start, _, _)| *start)
    };
    let section = |(at, (start, level, heading)): (usize, &(usize, usize, &'static str))| Section {
        page,
        heading,
        own: &text[*start..end_of(at, &|_| true)],
        whole: &text[*start..end_of(at, &|next| next <= *level)],
        is_page: *level == 1,
    };
    headings.iter().enumerate().map(section).collect()
}
