//! Colour and wrapping.

use owo_colors::{OwoColorize, Style};

/// Colours text, or leaves it as it is.
#[derive(Debug, Clone, Copy)]
pub struct Paint {
    color: bool,
}

impl Paint {
    /// With colour or without.
    pub const fn new(color: bool) -> Self {
        Self { color }
    }

    /// What is as it should be.
    pub fn good(self, text: &str) -> String {
        self.apply(text, Style::new().green())
    }

    /// What is wrong.
    pub fn bad(self, text: &str) -> String {
        self.apply(text, Style::new().red().bold())
    }

    /// What is not as usual.
    pub fn odd(self, text: &str) -> String {
        self.apply(text, Style::new().yellow())
    }

    /// What matters less.
    pub fn dim(self, text: &str) -> String {
        self.apply(text, Style::new().dimmed())
    }

    /// What is looked for first.
    pub fn strong(self, text: &str) -> String {
        self.apply(text, Style::new().bold())
    }

    fn apply(self, text: &str, style: Style) -> String {
        if self.color && !text.is_empty() { text.style(style).to_string() } else { text.to_owned() }
    }
}

/// Breaks text at spaces so that no line is longer than `width` characters. A word longer than that stays whole: paths
/// and commands must survive copying. Line breaks in the text, and spaces within a line, are kept.
pub(crate) fn wrap(text: &str, width: usize) -> Vec<String> {
    text.lines().flat_map(|line| wrap_line(line, width)).collect()
}

fn wrap_line(line: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut rest = line.trim_end();
    while let Some((limit, _)) = rest.char_indices().nth(width) {
        let indent = rest.len() - rest.trim_start().len();
        let within = rest[indent..].char_indices().map(|(at, c)| (indent + at, c)).filter(|(_, c)| *c == ' ');
        // The last space that fits, or else the first that does not.
        let spaces: Vec<usize> = within.map(|(at, _)| at).collect();
        let fits = spaces.iter().rfind(|at| **at <= limit).or_else(|| spaces.first());
        let Some(at) = fits.copied() else { break };
        lines.push(rest[..at].trim_end().to_owned());
        rest = rest[at..].trim_start();
    }
    lines.push(rest.to_owned());
    lines
}

/// Breaks one line at spaces so that none is longer than `width` characters, and indents its continuation. A word longer
/// than that stays whole.
pub fn wrap_hanging(line: &str, width: usize, indent: usize) -> Vec<String> {
    let mut lines = wrap_line(line, width);
    if lines.len() > 1 {
        let rest = lines.split_off(1).join(" ");
        lines.extend(wrap(&rest, width.saturating_sub(indent)).iter().map(|line| format!("{:indent$}{line}", "")));
    }
    lines
}

/// Cuts one line of text to `width` characters and marks the cut.
pub(crate) fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    let mut cut: String = text.chars().take(width.saturating_sub(1)).collect();
    cut.push('…');
    cut
}

/// `1 scenario`, `2 scenarios`.
pub fn count(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

/// A duration for people.
pub(crate) fn duration(milliseconds: u64) -> String {
    match milliseconds {
        0..1_000 => format!("{milliseconds} ms"),
        1_000..60_000 => format!("{}.{} s", milliseconds / 1_000, milliseconds % 1_000 / 100),
        _ => format!("{} min {} s", milliseconds / 60_000, milliseconds % 60_000 / 1_000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrapping_keeps_words_and_line_breaks() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("a-very-long-word b", 4), ["a-very-long-word", "b"]);
        assert_eq!(wrap("a\nb", 10), ["a", "b"]);
        assert_eq!(wrap("a  b  c", 5), ["a  b", "c"]);
        assert!(wrap("", 10).is_empty());
    }

    #[test]
    fn a_continuation_is_indented() {
        assert_eq!(wrap_hanging("  1 one two three", 10, 4), ["  1 one", "    two", "    three"]);
        assert_eq!(wrap_hanging("  1 one", 10, 4), ["  1 one"]);
    }

    #[test]
    fn cutting_marks_the_cut() {
        assert_eq!(cut("äöü", 3), "äöü");
        assert_eq!(cut("äöüß", 3), "äö…");
    }

    #[test]
    fn durations_are_rounded_down() {
        assert_eq!(duration(999), "999 ms");
        assert_eq!(duration(1_990), "1.9 s");
        assert_eq!(duration(61_000), "1 min 1 s");
    }

    #[test]
    fn colour_is_left_out_on_demand() {
        assert_eq!(Paint::new(false).bad("x"), "x");
        assert_ne!(Paint::new(true).bad("x"), "x");
    }
}
