//! What people read when a file is wrong.

#![expect(clippy::unwrap_used, reason = "a test that cannot write its files has failed")]

use std::fmt::Write as _;

use gauntlet_scenario::{Behaviour, DefectUse, Library, PeerSpec, Place};
use gauntlet_wire::Binding;

/// Adds each text as a user's file and shows the error.
fn errors(folder: &str, name: &str, cases: &[(&str, &str)]) -> String {
    let root = tempfile::tempdir().unwrap();
    let mut shown = String::new();
    for (what, text) in cases {
        let path = root.path().join(folder).join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        let error = Library::embedded().unwrap().add_path(&path).expect_err(what).to_string();
        writeln!(shown, "{what}\n  {}", error.replace(&format!("{}/", root.path().display()), "")).unwrap();
    }
    shown
}

const PEER: &str = "peers:\n  - name: a\n    interfaces: [GRPC]\n";

#[test]
fn yaml_that_is_refused() {
    let deep = format!("peers: {}", "[".repeat(70));
    let long = format!("# {}\n", "x".repeat(1 << 20));
    let shown = errors(
        "fleets",
        "mine.yaml",
        &[
            ("not YAML", "peers: [\n"),
            ("a tab", "peers:\n\t- name: a\n"),
            ("a key twice", "peers: []\npeers: []\n"),
            ("an anchor", "peers: &all []\n"),
            ("an alias", "peers: *all\n"),
            ("a star without quotes", "faults:\n  - refuse-operation: { operation: * }\n"),
            ("a tag", "peers: !!seq []\n"),
            ("two documents", "peers: []\n---\npeers: []\n"),
            ("a placeholder without quotes", "faults:\n  - x: { a: {{y}} }\n"),
            ("too deep", &deep),
            ("too long", &long),
            ("a number that does not fit", "peers: 99999999999999999999\n"),
            ("empty", ""),
            ("neither kind", "things: []\n"),
            ("a misspelt kind", "peeers: []\n"),
            ("a kind nobody but us writes", "rules: []\n"),
        ],
    );
    insta::assert_snapshot!(shown);
}

#[test]
fn fleets_that_are_wrong() {
    let with = |rest: &str| format!("{PEER}{rest}");
    let cases = [
        ("no peers", "peers: []\n".to_owned()),
        ("an unknown key", with("    behavior: [complete]\n")),
        ("no name", "peers:\n  - interfaces: [GRPC]\n".to_owned()),
        ("a name twice", with("  - name: a\n    interfaces: [GRPC]\n")),
        ("a version that is a number", with("    protocol: 1.0\n")),
        ("a version with a patch", with("    protocol: \"1.0.7\"\n")),
        ("a misspelt binding", "peers:\n  - name: a\n    interfaces: [grpc]\n".to_owned()),
        ("no interface", "peers:\n  - name: a\n    interfaces: []\n".to_owned()),
        ("an interface twice", "peers:\n  - name: a\n    interfaces: [JSONRPC, JSONRPC]\n".to_owned()),
        ("a path for gRPC", "peers:\n  - name: a\n    interfaces: [{ binding: GRPC, path: /a }]\n".to_owned()),
        ("a path without slash", "peers:\n  - name: a\n    interfaces: [{ binding: JSONRPC, path: rpc }]\n".to_owned()),
        ("a port out of range", "peers:\n  - name: a\n    interfaces: [{ binding: GRPC, port: 70000 }]\n".to_owned()),
        ("a skill without id", with("    skills: [{ name: x }]\n")),
        ("an unknown error table", with("    errors: \"0.9\"\n")),
        ("an extended card that is no object", with("    extendedCard: richer\n")),
        ("a token server with an odd scope", with("    tokenServer: { scopes: [\"a b\"] }\n")),
        ("a token server with an unknown key", with("    tokenServer: { scope: [a] }\n")),
        ("credentials for no scheme", with("    accepts: { bearer: [t] }\n")),
        (
            "credentials for a misspelt scheme",
            with("    card: { securitySchemes: { bearer: {} } }\n    accepts: { bearr: [t] }\n"),
        ),
        (
            "credentials that are no list",
            with("    card: { securitySchemes: { bearer: {} } }\n    accepts: { bearer: t }\n"),
        ),
        ("two defects in one item", with("    defects: [{ a: {}, b: {} }]\n")),
        ("an unknown condition", with("    defects: [{ a: { when: { bindng: GRPC } } }]\n")),
        ("one condition twice", with("    defects: [{ a: { when: { binding: GRPC, bindings: [GRPC] } } }]\n")),
        ("a probability above one", with("    defects: [{ a: { when: { probability: 2 } } }]\n")),
        ("never at all", with("    defects: [{ a: { when: { operations: [] } } }]\n")),
    ];
    let shown = errors("fleets", "mine.yaml", &cases.each_ref().map(|(what, text)| (*what, text.as_str())));
    insta::assert_snapshot!(shown);
}

#[test]
fn behaviours_that_are_wrong() {
    let cases = [
        ("an unknown step", "- wroking\n- complete"),
        ("a step without its words", "- ask\n- complete"),
        ("words that are a number", "- working: 3\n- complete"),
        ("no end", "- working"),
        ("a step after the end", "- complete\n- working"),
        ("a reply among others", "- working\n- reply: hello"),
        ("an artifact of nothing", "- artifact: { name: x }\n- complete"),
        ("an artifact of two kinds", "- artifact: { text: a, data: 1 }\n- complete"),
        ("more chunks than characters", "- artifact: { text: abc, chunks: 4 }\n- complete"),
        ("chunks of data", "- artifact: { data: [1], chunks: 2 }\n- complete"),
        ("a wait that outlasts everything", "- wait: 9999999\n- complete"),
        ("a step that takes nothing", "- hang: { for: 3 }"),
        ("a branch that is never reached", "- do: [complete]\n- when: { text: x }\n  do: [complete]"),
        ("a word of two words", "- when: { word: two words }\n  do: [complete]\n- do: [complete]"),
        ("a word for the second time", "- when: { word: x }\n  do: [complete]\n- when: { word: X }\n  do: [complete]"),
        (
            "a longer prefix behind a shorter one",
            "- when: { messageIdPrefix: a }\n  do: [hang]\n- when: { messageIdPrefix: a-b, text: x }\n  do: [hang]",
        ),
        ("a turn before the first", "- when: { turn: 0 }\n  do: [complete]"),
        ("an unknown turn", "- when: { turn: latr }\n  do: [complete]"),
        ("a misspelt condition", "- when: { txt: x }\n  do: [complete]"),
        ("no list", "complete"),
    ];
    let mut shown = String::new();
    for (what, yaml) in cases {
        writeln!(shown, "{what}\n  {}", Behaviour::parse(yaml, "step.yaml").expect_err(what)).unwrap();
    }
    insta::assert_snapshot!(shown);
}

#[test]
fn defects_that_are_wrong() {
    let with = |rest: &str| format!("id: mine\ntitle: Mine\n{rest}");
    let faults = "faults: [refuse-connection]\n";
    let cases = [
        ("another id than the file", "id: other\ntitle: Mine\nfaults: [x]\n".to_owned()),
        ("no title", format!("id: mine\n{faults}")),
        ("no faults", with("faults: []\n")),
        ("an unknown key", with(&format!("{faults}fact: []\n"))),
        ("an unknown fact", with(&format!("{faults}facts: [stream-end-early]\n"))),
        ("an unknown source", with(&format!("{faults}seen-in: [{{ blog: x }}]\n"))),
        ("an unknown type", with("parameters: { n: { type: int } }\nfaults: [{ x: { n: \"{n}\" } }]\n")),
        (
            "a default of another type",
            with("parameters: { n: { type: integer, default: x } }\nfaults: [{ x: \"{n}\" }]\n"),
        ),
        ("a parameter that is not used", with(&format!("parameters: {{ n: {{ type: integer }} }}\n{faults}"))),
        (
            "a placeholder without parameter",
            with(
                "parameters: { operation: { type: operation } }\nfaults: [{ x: [\"{operation}\", \"{opertion}\"] }]\n",
            ),
        ),
        ("a parameter called when", with(&format!("parameters: {{ when: {{ type: json }} }}\n{faults}"))),
        ("an unknown need", with(&format!("applies: {{ needs-behaviour: [aks] }}\n{faults}"))),
        ("a version that is none", with(&format!("applies: {{ versions: [\"one\"] }}\n{faults}"))),
    ];
    let shown = errors("binding", "mine.yaml", &cases.each_ref().map(|(what, text)| (*what, text.as_str())));
    insta::assert_snapshot!(shown);
}

/// What is wrong, peer, defect, arguments, conditions.
type Use<'a> = (&'a str, &'a PeerSpec, &'a str, Option<&'a str>, Option<&'a str>);

#[test]
fn uses_that_cannot_be_made() {
    let library = Library::embedded().unwrap();
    let grpc = PeerSpec::healthy("vendor-x", [Binding::Grpc]);
    let jsonrpc = PeerSpec::healthy("vendor-y", [Binding::JsonRpc]);
    let mut silent = grpc.clone();
    silent.behaviour = Behaviour::parse("- complete", "b.yaml").unwrap();
    let place = Place::whole("a.feature", "Given a peer");
    let cases: [Use<'_>; 10] = [
        ("a misspelt defect", &grpc, "method-unimplementd", None, None),
        ("an unknown argument", &grpc, "method-unimplemented", Some("{ op: GetTask }"), None),
        ("an argument where none is taken", &grpc, "interface-refused", Some("{ port: 1 }"), None),
        ("an argument of another type", &grpc, "method-unimplemented", Some("{ operation: GetTsk }"), None),
        ("arguments that are not YAML", &grpc, "method-unimplemented", Some("{"), None),
        ("arguments that are no mapping", &grpc, "method-unimplemented", Some("GetTask"), None),
        ("a binding on which it does not occur", &jsonrpc, "service-unregistered", None, None),
        ("a condition on which it does not occur", &grpc, "service-unregistered", None, Some("{ binding: JSONRPC }")),
        ("a binding that the peer does not serve", &grpc, "interface-refused", None, Some("{ binding: JSONRPC }")),
        ("a behaviour that does not show it", &silent, "append-defaults-true", None, None),
    ];
    let mut shown = String::new();
    for (what, peer, id, arguments, when) in cases {
        let error = DefectUse::parse(id, arguments, when, place.clone()).and_then(|used| library.apply(&used, peer));
        writeln!(shown, "{what}\n  {}", error.map(|applied| applied.id).expect_err(what)).unwrap();
    }
    writeln!(shown, "by name\n  {}", library.defect("append-defaults-flase").unwrap_err()).unwrap();
    writeln!(shown, "by name, far off\n  {}", library.fleet("zzzzzz").unwrap_err()).unwrap();
    insta::assert_snapshot!(shown);
}

#[test]
fn a_name_that_is_taken() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("healthy.yaml");
    std::fs::write(&path, PEER).unwrap();
    let error = Library::embedded().unwrap().add_path(&path).unwrap_err().to_string();
    assert!(
        error.ends_with(
            "1:1: the fleet `healthy` exists already (scenarios/fleets/healthy.yaml has it; rename this file)"
        ),
        "{error}"
    );
}

#[test]
fn a_rule_that_does_not_exist() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("mine.yaml");
    std::fs::write(&path, "id: mine\ntitle: Mine\nfaults: [x]\nexercises: [no-such-rule]\n").unwrap();
    let error = Library::embedded().unwrap().add_path(&path).unwrap_err().to_string();
    assert!(error.contains(":4:13: there is no rule `no-such-rule`"), "{error}");
}

#[test]
fn paths_that_are_no_scenario_files() {
    let root = tempfile::tempdir().unwrap();
    let mut library = Library::embedded().unwrap();
    let absent = library.add_path(&root.path().join("absent.yaml")).unwrap_err().to_string();
    assert!(absent.contains("absent.yaml cannot be read"), "{absent}");
    let readme = root.path().join("README.md");
    std::fs::write(&readme, "# read me").unwrap();
    let error = library.add_path(&readme).unwrap_err().to_string();
    assert!(error.ends_with("is neither a folder nor a file that ends in .yaml or .yml"), "{error}");
    let latin = root.path().join("latin.yaml");
    std::fs::write(&latin, b"peers: \xe9").unwrap();
    let error = library.add_path(&latin).unwrap_err().to_string();
    assert!(error.ends_with("latin.yaml cannot be read: it is not UTF-8 text"), "{error}");
}

#[test]
fn a_folder_is_taken_in_whole_and_other_files_are_passed_over() {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("mine/binding");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(root.path().join("mine/a.feature"), "Feature: x").unwrap();
    std::fs::write(root.path().join("mine/.hidden.yaml"), "nonsense: true").unwrap();
    std::fs::write(root.path().join("mine/shop.yml"), PEER).unwrap();
    std::fs::write(folder.join("mine.yaml"), "id: mine\ntitle: Mine\nfaults: [refuse-connection]\n").unwrap();
    let mut library = Library::embedded().unwrap();
    library.add_path(&root.path().join("mine")).unwrap();
    assert_eq!(library.fleet("shop").unwrap().peers[0].name, "a");
    assert_eq!(library.defect("mine").unwrap().area, "binding");
}
