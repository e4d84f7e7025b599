//! Findings as people read them: the place underlined, and how to mend it.

use std::fmt;
use std::ops::Range;

use gauntlet_card::{Edition, Finding, Layer, Report, Severity};
use miette::{
    Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteError, MietteSpanContents, SourceCode,
    SourceSpan, SpanContents,
};

use super::validate::Judged;
use crate::output::Style;

/// Longer lines are cut around what is underlined: cards are often served on one line.
const LONGEST_LINE: usize = 160;
/// How much is kept on either side.
const AROUND: usize = 48;

/// All that is said of a document.
pub(crate) fn render(judged: &Judged, style: Style) -> String {
    let Judged { document, report } = judged;
    let source = std::str::from_utf8(&document.bytes).ok();
    let mut text = format!("{}: {}\n", document.name, headline(report));
    if report.edition == Some(Edition::Hybrid) {
        text.push_str("  It has members of 1.0 and of 0.3, and is judged as 1.0.\n");
    }
    for finding in &report.findings {
        text.push_str(&show(&Shown::new(Told::of(finding), &document.name, source), style));
    }
    if report.truncated {
        text.push_str("  There is more; mend these first.\n");
    }
    text
}

/// What it is and how each layer came out, in a line.
fn headline(report: &Report) -> String {
    let what = match report.edition {
        Some(Edition::Hybrid) => "card of A2A 1.0 with remains of 0.3".to_owned(),
        Some(edition) => format!("card of A2A {edition}"),
        None if report.kind != "AgentCard" => report.kind.clone(),
        None => "not a card".to_owned(),
    };
    let layers = Layer::ALL.map(|layer| {
        let errors = report.findings.iter().filter(|of| of.layer == layer && of.severity == Severity::Error).count();
        match (errors, report.parsed || layer == Layer::Parse) {
            (_, false) => format!("{layer} not reached"),
            (0, true) => format!("{layer} ✓"),
            (errors, true) => format!("{layer} ✗ {errors}"),
        }
    });
    let warnings = report.count(Severity::Warning);
    let warnings = match warnings {
        0 => String::new(),
        1 => ", 1 warning".to_owned(),
        more => format!(", {more} warnings"),
    };
    let verdict = if report.is_valid() { "valid" } else { "not valid" };
    format!("{what}, {verdict} ({}{warnings})", layers.join(" · "))
}

/// A finding with the place underlined.
pub(crate) fn show(shown: &Shown<'_>, style: Style) -> String {
    let theme = if style.color { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() };
    let handler =
        GraphicalReportHandler::new_themed(theme).with_width(style.width).with_wrap_lines(false).with_links(false);
    let mut text = String::new();
    match handler.render_report(&mut text, shown) {
        Ok(()) => text,
        Err(_) => format!("{shown}\n"),
    }
}

/// What is told of a document.
#[derive(Debug, Clone)]
pub(crate) struct Told<'f> {
    /// A layer and a rule.
    pub(crate) code: String,
    pub(crate) severity: Severity,
    pub(crate) message: &'f str,
    pub(crate) help: &'f str,
    /// Empty for the whole document.
    pub(crate) pointer: &'f str,
    pub(crate) span: Range<usize>,
}

impl<'f> Told<'f> {
    fn of(finding: &'f Finding) -> Self {
        Self {
            code: format!("{} {}", finding.layer, finding.rule),
            severity: finding.severity,
            message: &finding.message,
            help: &finding.help,
            pointer: &finding.pointer,
            span: finding.span.clone(),
        }
    }
}

/// What is told, with the piece of the document it is about.
#[derive(Debug)]
pub(crate) struct Shown<'f> {
    told: Told<'f>,
    source: Option<(Piece, LabeledSpan)>,
}

impl<'f> Shown<'f> {
    pub(crate) fn new(told: Told<'f>, name: &str, source: Option<&str>) -> Self {
        let source = source.filter(|source| told.span.end <= source.len() && !told.span.is_empty()).map(|source| {
            let (piece, span) = excerpt(name, source, told.span.clone());
            let label = (!told.pointer.is_empty()).then(|| told.pointer.to_owned());
            (piece, LabeledSpan::new_primary_with_span(label, span))
        });
        Self { told, source }
    }
}

/// A document, or a piece of one of its lines, that knows where in the document it begins.
#[derive(Debug)]
struct Piece {
    name: String,
    text: String,
    /// Lines and characters before it.
    line: usize,
    column: usize,
}

impl SourceCode for Piece {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        before: usize,
        after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let read = self.text.read_span(span, before, after)?;
        let line = self.text.get(..span.offset()).unwrap_or_default().rsplit('\n').next().unwrap_or_default();
        let column = self.column + line.chars().count();
        Ok(Box::new(MietteSpanContents::new_named(
            self.name.clone(),
            read.data(),
            *read.span(),
            self.line + read.line(),
            column,
            read.line_count(),
        )))
    }
}

/// The text to show and the span in it: all of the text, or a piece of a line that is too long to show.
fn excerpt(name: &str, source: &str, span: Range<usize>) -> (Piece, Range<usize>) {
    let begin = source[..span.start].rfind('\n').map_or(0, |at| at + 1);
    let end = source[span.start..].find('\n').map_or(source.len(), |at| span.start + at);
    // What is underlined ends with its first line.
    let stop = span.end.min(end).max(span.start);
    let name = name.to_owned();
    if end - begin <= LONGEST_LINE {
        let piece = Piece { name, text: source.to_owned(), line: 0, column: 0 };
        return (piece, span.start..stop.max(span.start + 1));
    }
    let from = floor(source, span.start.saturating_sub(AROUND).max(begin));
    let stop = floor(source, stop.min(span.start + AROUND)).max(span.start);
    let to = floor(source, (stop + AROUND).min(end));
    let piece = Piece {
        name,
        text: format!("{}\n", &source[from..to]),
        line: source[..begin].matches('\n').count(),
        column: source[begin..from].chars().count(),
    };
    (piece, span.start - from..(stop - from).max(span.start - from + 1))
}

/// The nearest place before a byte where a character begins.
fn floor(source: &str, mut at: usize) -> usize {
    while !source.is_char_boundary(at) {
        at -= 1;
    }
    at
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.told.message)?;
        match &self.source {
            None if !self.told.pointer.is_empty() => write!(f, " (at {})", self.told.pointer),
            _ => Ok(()),
        }
    }
}

impl std::error::Error for Shown<'_> {}

impl Diagnostic for Shown<'_> {
    fn code(&self) -> Option<Box<dyn fmt::Display + '_>> {
        Some(Box::new(&self.told.code))
    }

    fn severity(&self) -> Option<miette::Severity> {
        Some(match self.told.severity {
            Severity::Error => miette::Severity::Error,
            Severity::Warning => miette::Severity::Warning,
            Severity::Note => miette::Severity::Advice,
        })
    }

    fn help(&self) -> Option<Box<dyn fmt::Display + '_>> {
        Some(Box::new(self.told.help))
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.source.as_ref().map(|(source, _)| source as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let (_, span) = self.source.as_ref()?;
        Some(Box::new(std::iter::once(span.clone())))
    }
}

#[cfg(test)]
mod tests {
    use gauntlet_card::{Options, validate};

    use super::super::source::Document;
    use super::*;

    fn rendered(document: &str) -> String {
        let report = validate(document.as_bytes(), &Options::default());
        let document = Document { name: "agent-card.json".to_owned(), bytes: document.as_bytes().to_vec() };
        render(&Judged { document, report }, Style { color: false, width: 80 })
    }

    #[test]
    fn places_are_underlined() {
        let card = "{\n  \"name\": \"A\",\n  \"version\": \"1\",\n  \"url\": \"/a2a\",\n  \"skills\": [{}]\n}\n";
        insta::assert_snapshot!(rendered(card));
    }

    #[test]
    fn long_lines_are_cut_around_the_place() {
        let card = format!("{{\"name\":\"{}\",\"description\":1,\"skills\":[]}}", "ü".repeat(400));
        let text = rendered(&card);
        assert!(text.lines().all(|line| line.chars().count() < 200), "{text}");
        assert!(text.contains("agent-card.json:1:426]"), "{text}");
    }

    #[test]
    fn what_is_no_text_is_told_without_a_place() {
        let report = validate(b"{\"name\": \"\xff\"}", &Options::default());
        let document = Document { name: "x".to_owned(), bytes: b"{\"name\": \"\xff\"}".to_vec() };
        let text = render(&Judged { document, report }, Style { color: false, width: 80 });
        assert!(text.contains("no UTF-8"), "{text}");
    }
}
