//! Smaller forms of a document, for whoever wants the least that shows something. What makes a form as good as the
//! document itself is for the caller to say; nothing here is random.

use std::ops::Range;

use crate::json::{self, Data, Node};

/// Deeper JSON is taken by pieces: the tree is walked by recursion.
const DEEPEST: usize = 400;
/// Runs of up to so many pieces are tried at every length: a member with all that is in it is often one of them.
const FEW: usize = 24;

/// Proposes smaller and smaller forms of a document: members and elements left out, texts and numbers made shorter. What is
/// no JSON is taken by pieces of its text.
///
/// ```
/// # use gauntlet_card::Shrinker;
/// let mut shrinker = Shrinker::new(br#"{"name":"Returns","tags":["a","b"]}"#);
/// while let Some(candidate) = shrinker.candidate() {
///     if String::from_utf8_lossy(candidate).contains('b') {
///         shrinker.keep();
///     }
/// }
/// assert_eq!(shrinker.best(), br#"{"tags":["b"]}"#);
/// ```
#[derive(Debug, Clone)]
pub struct Shrinker {
    best: Vec<u8>,
    /// Bytes that can be left out, the largest parts first.
    cuts: Vec<Range<usize>>,
    /// The place in `cuts`.
    next: usize,
    /// Something was kept since the beginning of `cuts`.
    progress: bool,
    tried: Option<Vec<u8>>,
}

impl Shrinker {
    /// Of a document: any bytes.
    pub fn new(document: &[u8]) -> Self {
        Self { best: document.to_vec(), cuts: cuts(document), next: 0, progress: false, tried: None }
    }

    /// The next smaller form to look at; none when there is nothing left to try. Say [`keep`](Self::keep) if it is as good,
    /// nothing if it is not.
    pub fn candidate(&mut self) -> Option<&[u8]> {
        if self.next == self.cuts.len() && std::mem::take(&mut self.progress) {
            self.next = 0;
        }
        let cut = self.cuts.get(self.next)?;
        self.next += 1;
        Some(self.tried.insert([&self.best[..cut.start], &self.best[cut.end..]].concat()))
    }

    /// Goes on from the last candidate.
    pub fn keep(&mut self) {
        if let Some(tried) = self.tried.take() {
            self.cuts = cuts(&tried);
            self.best = tried;
            self.progress = true;
            // What stood behind the cut stands there now.
            self.next = (self.next - 1).min(self.cuts.len());
        }
    }

    /// The smallest form that was kept, or the document itself.
    pub fn best(&self) -> &[u8] {
        &self.best
    }
}

/// What can be left out. No cut is empty: so there is an end.
fn cuts(document: &[u8]) -> Vec<Range<usize>> {
    const BOM: &str = "\u{feff}";
    let text = std::str::from_utf8(document).ok();
    let skip = if text.is_some_and(|text| text.starts_with(BOM)) { BOM.len() } else { 0 };
    let mut cuts = Vec::new();
    match text.map(|text| json::read(text, skip, DEEPEST)) {
        Some(Ok((root, _))) => inside(&root, document, &mut cuts),
        _ => pieces(document, &mut cuts),
    }
    cuts.retain(|cut| !cut.is_empty());
    cuts
}

fn inside(node: &Node<'_>, document: &[u8], cuts: &mut Vec<Range<usize>>) {
    // Between the quotes or brackets.
    let within = node.span.start + 1..node.span.end.saturating_sub(1);
    match &node.data {
        Data::Null | Data::Bool(_) => {}
        // One digit, the first or the last, in place of all.
        Data::Number(_) => cuts.extend([within.start..node.span.end, node.span.start..within.end]),
        Data::Text(_) => shorter(within, document, cuts),
        Data::List(items) => {
            cuts.push(within);
            let items = items.iter().map(|item| (item.span.clone(), item));
            each(&items.collect::<Vec<_>>(), document, cuts);
        }
        Data::Object(members) => {
            cuts.push(within);
            let members = members.iter().map(|of| (of.key_span.start..of.value.span.end, &of.value));
            each(&members.collect::<Vec<_>>(), document, cuts);
        }
    }
}

/// Each element without what separates it from the others, then what is in it.
fn each(elements: &[(Range<usize>, &Node<'_>)], document: &[u8], cuts: &mut Vec<Range<usize>>) {
    for (index, (span, node)) in elements.iter().enumerate() {
        let before = index.checked_sub(1).and_then(|index| elements.get(index));
        cuts.push(match (before, elements.get(index + 1)) {
            (_, Some((next, _))) => span.start..next.start,
            (Some((before, _)), None) => before.end..span.end,
            (None, None) => span.clone(),
        });
        inside(node, document, cuts);
    }
}

/// All of a text, and smaller and smaller parts at its end and at its beginning.
fn shorter(text: Range<usize>, document: &[u8], cuts: &mut Vec<Range<usize>>) {
    let mut size = text.len();
    while size > 0 {
        // Not through a character.
        let begins = |at: &usize| document.get(*at).is_none_or(|byte| !(0x80..0xc0).contains(byte));
        let end = (text.start..=text.end - size).rev().find(begins).unwrap_or(text.start);
        let begin = (text.start + size..=text.end).find(begins).unwrap_or(text.end);
        cuts.extend([end..text.end, text.start..begin]);
        size /= 2;
    }
}

/// Runs of pieces of what is no JSON. It is taken apart behind what opens or separates and before what closes.
fn pieces(document: &[u8], cuts: &mut Vec<Range<usize>>) {
    let mut edges = vec![0];
    for (at, byte) in document.iter().enumerate() {
        match byte {
            b'}' | b']' => edges.push(at),
            b',' | b'{' | b'[' => edges.push(at + 1),
            _ => {}
        }
    }
    edges.push(document.len());
    edges.dedup();
    let count = edges.len() - 1;
    let many = (5..usize::BITS).map(|power| 1 << power).take_while(|size| *size <= count);
    let many: Vec<usize> = many.collect();
    for size in many.into_iter().rev().chain((1..=count.min(FEW)).rev()) {
        cuts.extend((0..=count - size).map(|begin| edges[begin]..edges[begin + size]));
    }
}
