//! What files mean, and that no text brings a parser down.

use gauntlet_scenario::{
    Behaviour, DefectUse, Fact, Library, NodeKind, PeerFacts, PeerSpec, Place, Step, TokenServerSpec, yaml,
};
use gauntlet_wire::{Binding, Operation};
use proptest::prelude::*;
use serde_json::json;

fn place() -> Place {
    Place::whole("a.feature", "Given a peer")
}

#[test]
fn values_keep_their_types_and_places() {
    let text = "a: [1, -2.5, true, ~, yes, \"1\"]\nünï:\n  b: |\n    x\n";
    let node = yaml::parse("f.yaml", text).unwrap();
    assert_eq!(node.json(), json!({ "a": [1, -2.5, true, null, "yes", "1"], "ünï": { "b": "x\n" } }));
    let inner = node.get("ünï").and_then(|node| node.get("b")).unwrap();
    // A block's place is that of its content.
    assert_eq!((inner.place.line, inner.place.column), (4, 5));
    let yes = &node.get("a").unwrap().list().unwrap()[4];
    assert_eq!(&text[yes.place.span.clone()], "yes");
    assert_eq!(yaml::parse("f.yaml", "\u{feff}a: 1").unwrap().get("a").unwrap().place.column, 4);
}

#[test]
fn every_step_has_a_form() {
    let text = "[working, { working: w }, { wait: 5 }, { ask: q }, { auth: a }, { artifact: { name: n, file: { name: f, \
                url: \"http://x\" }, mediaType: text/csv } }, { artifact: { data: { k: [1] } } }, { fail: f }]";
    let behaviour = Behaviour::parse(text, "b.yaml").unwrap();
    let steps: Vec<&Step> = behaviour.all_steps().collect();
    assert_eq!(steps.len(), 8);
    assert_eq!(steps[1], &Step::Working(Some("w".to_owned())));
    assert!(matches!(steps[6], Step::Artifact(artifact) if artifact.data == Some(json!({ "k": [1] }))));
    for end in ["complete", "{ complete: c }", "{ reject: r }", "{ reply: r }", "cancel", "hang"] {
        Behaviour::parse(&format!("[{end}]"), "b.yaml").unwrap();
    }
}

#[test]
fn branches_are_chosen_by_the_message() {
    let text = "- when: { text: refund, messageIdPrefix: p-, metadata: { k: [1] } }\n  do: [complete]\n- do: [hang]\n";
    let behaviour = Behaviour::parse(text, "b.yaml").unwrap();
    assert_eq!(behaviour.branches[0].when.text.as_deref(), Some("refund"));
    assert_eq!(behaviour.branches[0].when.metadata["k"], json!([1]));
    assert_eq!(*behaviour.branches[1].steps, [Step::Hang]);
}

#[test]
fn branches_are_chosen_by_the_turn() {
    let text = "- do: [ask: q, complete]\n- when: { turn: 3 }\n  do: [hang]\n- when: { turn: later, text: x }\n  do: [hang]\n\
                - when: { turn: any, text: y }\n  do: [hang]\n- when: { turn: 1 , text: z}\n  do: [hang]\n";
    let error = Behaviour::parse(text, "b.yaml").unwrap_err();
    assert!(error.to_string().contains("b.yaml:8"), "the first turn is what a branch is for that names none: {error}");
    let behaviour = Behaviour::parse(text.rsplit_once("- when").unwrap().0, "b.yaml").unwrap();
    let turns: Vec<Vec<u32>> =
        behaviour.branches.iter().map(|branch| (1..=4).filter(|nth| branch.when.turn.is(*nth)).collect()).collect();
    assert_eq!(turns, [vec![1], vec![3], vec![2, 3, 4], vec![1, 2, 3, 4]]);
}

#[test]
fn a_peer_may_have_an_extended_card_and_take_only_some_credentials() {
    let folder = tempfile::tempdir().unwrap();
    let text = "peers:\n  - name: b\n    interfaces: [GRPC]\n    card: { securitySchemes: { key: {} } }\n    \
                extendedCard: { description: more }\n    accepts: { key: [one, two] }\n";
    std::fs::write(folder.path().join("shop.yaml"), text).unwrap();
    let mut library = Library::embedded().unwrap();
    library.add_path(folder.path()).unwrap();
    let peer = &library.fleet("shop").unwrap().peers[0];
    assert_eq!(peer.extended_card, Some(json!({ "description": "more" })));
    assert_eq!(peer.accepts["key"], ["one", "two"]);
}

#[test]
fn a_token_server_is_told_of_in_as_much_as_it_differs() {
    let folder = tempfile::tempdir().unwrap();
    let text = "peers:\n  - name: b\n    interfaces: [GRPC]\n    tokenServer: { audience: shop, refresh: true }\n";
    std::fs::write(folder.path().join("shop.yaml"), text).unwrap();
    let mut library = Library::embedded().unwrap();
    library.add_path(folder.path()).unwrap();
    let server = library.fleet("shop").unwrap().peers[0].token_server.clone().unwrap();
    let usual = TokenServerSpec::of("b");
    assert_eq!(server, TokenServerSpec { audience: Some("shop".to_owned()), refresh: true, ..usual });
}

#[test]
fn items_may_be_written_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write(
        "shop.yaml",
        "peers:\n  - name: b\n    protocol: \"1.0\"\n    interfaces: [GRPC, { binding: JSONRPC, path: /rpc, tenant: acme }]\n    \
         behaviour: [working, { artifact: { text: abc, chunks: 3 } }, complete]\n    \
         defects: [mine: { call: GetTask, when: { binding: GRPC } }, unknown-fields]\n",
    );
    write(
        "mine.yaml",
        "id: mine\ntitle: Mine\nseen-in: [{ seed: closure }, { thread: \"a/b#1\" }]\n\
         parameters: { call: { type: operation, default: SendMessage } }\n\
         applies: { bindings: [GRPC, JSONRPC], versions: [\"1.0\", \"0.3\"], needs-behaviour: [] }\n\
         faults: [refuse-operation: { operation: \"{call}\", as: { GRPC: UNIMPLEMENTED } }]\n\
         facts: [lacks-operation: \"{call}\"]\n",
    );
    let mut library = Library::embedded().unwrap();
    library.add_path(folder.path()).unwrap();
    let peer = &library.fleet("shop").unwrap().peers[0];
    assert_eq!(peer.interfaces[1].tenant.as_deref(), Some("acme"));
    assert_eq!(peer.defects[1].id, "unknown-fields");
    let applied = library.apply(&peer.defects[0], peer).unwrap();
    assert_eq!(applied.facts[0].fact, Fact::LacksOperation(Operation::GetTask));
    assert_eq!(applied.facts[0].bindings, [Binding::Grpc].into());
    assert_eq!(
        applied.faults[0].arguments.json(),
        json!({ "operation": "GetTask", "as": { "GRPC": "UNIMPLEMENTED" } })
    );
}

#[test]
fn arguments_take_the_place_of_whole_scalars_and_keep_their_type() {
    let library = Library::embedded().unwrap();
    let peer = PeerSpec::healthy("p", Binding::ALL);
    let used = DefectUse::parse("stream-closes-early", Some("{ after: 3 }"), None, place()).unwrap();
    let applied = library.apply(&used, &peer).unwrap();
    assert_eq!(applied.faults[0].arguments.get("after").unwrap().kind, NodeKind::Int(3));
    let default = library.apply(&DefectUse::parse(&used.id, None, None, place()).unwrap(), &peer).unwrap();
    assert_eq!(default.faults[0].arguments.get("after").unwrap().kind, NodeKind::Int(2));
}

#[test]
fn facts_hold_where_the_defect_bites() {
    let library = Library::embedded().unwrap();
    let peer = PeerSpec::healthy("p", Binding::ALL);
    let facts = |id: &str, when: Option<&str>| {
        library.apply(&DefectUse::parse(id, None, when, place()).unwrap(), &peer).unwrap().facts
    };
    let everywhere = facts("method-unimplemented", None);
    assert!(everywhere[0].bindings.is_empty());
    assert_eq!(everywhere[0].fact, Fact::LacksOperation(Operation::SendStreamingMessage));
    let grpc = facts("method-unimplemented", Some("{ binding: GRPC }"));
    assert_eq!(grpc[0].bindings, [Binding::Grpc].into());
    assert_eq!(facts("service-unregistered", None)[0].bindings, [Binding::Grpc].into());
    let alone = PeerSpec::healthy("p", [Binding::Grpc]);
    let used = DefectUse::parse("service-unregistered", None, Some("{ binding: GRPC }"), place()).unwrap();
    assert!(library.apply(&used, &alone).unwrap().facts[0].bindings.is_empty(), "all that the peer serves");
    let subscribing = facts("streaming-declared-absent", Some("{ operation: SubscribeToTask }"));
    assert_eq!(subscribing.len(), 1);
    assert_eq!(subscribing[0].fact, Fact::LacksOperation(Operation::SubscribeToTask));
    let cancelling = facts("service-unregistered", Some("{ operation: CancelTask }"));
    assert_eq!(cancelling[0].fact, Fact::LacksOperation(Operation::CancelTask), "the rest of the interface serves");
}

#[test]
fn a_defect_may_be_meant_for_one_of_several_interfaces() {
    let library = Library::embedded().unwrap();
    let peer = PeerSpec::healthy("p", [Binding::JsonRpc, Binding::JsonRpc, Binding::Grpc]);
    let apply = |id: &str, when: Option<&str>| {
        library.apply(&DefectUse::parse(id, None, when, place()).unwrap(), &peer).map_err(|error| error.to_string())
    };
    let unusable = |fact: Option<&Fact>| matches!(fact, Some(Fact::InterfaceUnusable { .. }));
    let facts = |when: Option<&str>| {
        let applied = apply("first-interface-dead", when).unwrap();
        let facts = PeerFacts(applied.facts);
        let on = [Binding::JsonRpc, Binding::JsonRpc, Binding::Grpc].into_iter().enumerate();
        let dead = on.map(|(index, binding)| unusable(facts.on(binding, index).next())).collect::<Vec<_>>();
        (applied.faults[0].when.interfaces.iter().copied().collect::<Vec<_>>(), dead)
    };
    assert_eq!(facts(None), (vec![1], vec![true, false, false]));
    assert_eq!(facts(Some("{ interfaces: [2, 3] }")), (vec![2, 3], vec![false, true, true]));
    assert!(apply("first-interface-dead", Some("{ interface: 4 }")).unwrap_err().contains("has no interface 4"));
    let elsewhere = apply("service-unregistered", Some("{ interface: 2 }")).unwrap_err();
    assert!(elsewhere.contains("cannot show on the peer `p`"), "{elsewhere}");
    let both = apply("http-status", Some("{ binding: GRPC, interface: 2 }")).unwrap_err();
    assert!(both.contains("does not serve GRPC there"), "{both}");
}

#[test]
fn conditions_are_merged_into_every_fault() {
    let library = Library::embedded().unwrap();
    let peer = PeerSpec::healthy("p", Binding::ALL);
    let when = "{ bindings: [GRPC, JSONRPC], first: 2, probability: 0.5, messageIdPrefix: p-, text: x }";
    let used = DefectUse::parse("streaming-declared-absent", None, Some(when), place()).unwrap();
    for fault in library.apply(&used, &peer).unwrap().faults {
        assert_eq!(fault.when.bindings, [Binding::Grpc, Binding::JsonRpc].into());
        assert_eq!((fault.when.first, fault.when.probability), (Some(2), Some(0.5)));
        assert_eq!((fault.when.message_id_prefix.as_deref(), fault.when.text.as_deref()), (Some("p-"), Some("x")));
    }
}

#[test]
fn fleets_that_ship_say_what_they_are_for_and_their_defects_apply() {
    let library = Library::embedded().unwrap();
    assert!(library.fleets().count() >= 4);
    for fleet in library.fleets() {
        assert!(!fleet.title.is_empty(), "{}", fleet.id);
        for peer in &fleet.peers {
            for defect in &peer.defects {
                library.apply(defect, peer).unwrap();
            }
        }
    }
}

#[test]
fn defects_that_ship_exercise_rules_that_exist() {
    let library = Library::embedded().unwrap();
    for defect in library.defects() {
        assert!(!defect.area.is_empty() && !defect.seen_in.is_empty(), "{}", defect.id);
        for rule in &defect.exercises {
            assert!(library.rule(rule).is_some(), "{} exercises `{rule}`, which is not in rules.yaml", defect.id);
        }
    }
}

fn yaml_like() -> impl Strategy<Value = String> {
    let pieces = [
        "peers",
        "faults",
        "name",
        "when",
        "do",
        ": ",
        ":\n  ",
        "- ",
        "\n",
        "{",
        "}",
        "[",
        "]",
        ", ",
        "\"{x}\"",
        "'",
        "\"",
        "|\n",
        "&a ",
        "*a",
        "!t ",
        "---\n",
        "#",
        "\t",
        "  ",
        "1.0",
        "-1",
        "é",
        "\u{feff}",
        "\r\n",
        "? ",
        "%YAML 1.2\n",
        "working",
        "complete",
    ];
    prop::collection::vec(prop::sample::select(pieces.to_vec()), 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn no_text_brings_the_parser_down(text in prop_oneof![any::<String>(), yaml_like()]) {
        match yaml::parse("f.yaml", &text) {
            Ok(node) => prop_assert!(node.place.text.get(node.place.span.clone()).is_some()),
            Err(error) => prop_assert!(error.place.text.get(error.place.span.clone()).is_some()),
        }
        drop(Behaviour::parse(&text, "f.yaml"));
        drop(DefectUse::parse("x", Some(&text), Some(&text), place()));
    }

    #[test]
    fn no_file_brings_the_library_down(text in yaml_like(), kind in prop::sample::select(vec!["peers", "faults"])) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.yaml");
        std::fs::write(&path, format!("id: x\ntitle: x\n{kind}:\n{text}")).unwrap();
        drop(Library::default().add_path(&path));
    }
}
