//! Where the words `spec §3.6.1` of a source lead.

/// Number and anchor of each section of the A2A specification 1.0, one a line.
const SECTIONS: &str = include_str!("sections.txt");
const SPECIFICATION: &str = "https://a2a-protocol.org/latest/specification/";

/// The addresses of the sections that a source names, such as `spec §9.4.2, WHATWG HTML`; of a range (`spec §9–11`) the
/// first.
pub fn spec_links(source: &str) -> Vec<String> {
    let named = source.split("spec §").skip(1).filter_map(|rest| {
        let number = rest.split(|c: char| !c.is_ascii_digit() && c != '.').next()?.trim_end_matches('.');
        SECTIONS.lines().find_map(|line| line.strip_prefix(number)?.strip_prefix(' '))
    });
    named.map(|anchor| format!("{SPECIFICATION}#{anchor}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_are_found_within_a_source() {
        let link = |anchor: &str| format!("https://a2a-protocol.org/latest/specification/#{anchor}");
        assert_eq!(spec_links("spec §3.6.1"), [link("361-client-responsibilities")]);
        assert_eq!(spec_links("spec §9.4.2, WHATWG HTML"), [link("942-sendstreamingmessage")]);
        assert_eq!(spec_links("spec §9–11"), [link("9-json-rpc-protocol-binding")]);
        assert_eq!(spec_links("spec §8.2, spec §3.6, seed: mismatch").len(), 2);
        assert!(spec_links("seed: closure").is_empty() && spec_links("spec §99").is_empty());
    }
}
