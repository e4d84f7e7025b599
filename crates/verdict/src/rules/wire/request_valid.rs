//! Every request to an interface is valid for its binding and version. Discovery is not judged, nor are interfaces of
//! other versions than 1.x.

use gauntlet_evidence::RequestClass;

use super::request;
use crate::rules::prelude::*;

pub(super) static RULE: Requirement = Requirement { id: "wire-request-valid", needs: &[], judge };

fn judge(view: &View<'_>, tally: &mut Tally) {
    for x in view.exchanges.iter().filter(|x| x.request.class != RequestClass::Discovery) {
        let entry = x.entry.seq;
        match request::problem(view, x) {
            request::Finding::Valid => tally.upheld(),
            request::Finding::NotJudged => {}
            request::Finding::Invalid(problem) => {
                tally.broken(format!("{}: {problem}{}", x.peer, cite(&[entry])), [entry]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use gauntlet_wire::Binding::{Grpc, HttpJson, JsonRpc};
    use serde_json::json;

    use super::*;
    use crate::testing::{B, Scene};

    use gauntlet_evidence::journal::Raw;

    const ID: &str = "wire-request-valid";

    fn body(on: gauntlet_wire::Binding, change: impl Fn(&mut serde_json::Value)) -> Scene {
        let mut scene = Scene::new(&[on]);
        let x = scene.dispatch(B, on, "d-1");
        let mut body = serde_json::from_str(scene.sent(x).body.text().unwrap()).unwrap();
        change(&mut body);
        scene.sent(x).body = Raw::Text(body.to_string());
        scene
    }

    #[test]
    fn what_correct_clients_send_is_valid() {
        for on in gauntlet_wire::Binding::ALL {
            let mut scene = Scene::new(&[on]);
            scene.open(ID);
            let x = scene.dispatch(B, on, "d-1");
            scene.completed(x, "t-1");
            scene.stream(B, on, "d-1");
            for operation in [Operation::GetTask, Operation::CancelTask, Operation::SubscribeToTask] {
                scene.on_task(B, on, operation, "t-1");
            }
            scene.upheld(ID);
        }
    }

    #[test]
    fn envelopes_are_read_strictly() {
        let broken = |change: &dyn Fn(&mut serde_json::Value)| body(JsonRpc, change).broken(ID);
        assert!(broken(&|body| body["jsonrpc"] = json!("1.0")).contains("`jsonrpc` is not"));
        assert!(broken(&|body| body["id"] = json!(null)).contains("`id` is neither"));
        assert!(
            broken(&|body| body["method"] = json!("message/send")).contains("`message/send` is no method of A2A 1.0")
        );
        assert!(broken(&|body| body["params"] = json!([])).contains("not an object"));
        body(JsonRpc, |body| body["id"] = json!("a")).upheld(ID);
    }

    #[test]
    fn names_enums_and_required_fields_are_read_strictly() {
        let broken = |change: &dyn Fn(&mut serde_json::Value)| {
            let rpc = body(JsonRpc, |body| change(&mut body["params"])).broken(ID);
            assert_eq!(rpc, body(HttpJson, change).broken(ID));
            rpc
        };
        assert!(broken(&|sent| sent["message"]["role"] = json!("user")).contains("/message/role is user"));
        assert!(broken(&|sent| sent["message"]["role"] = json!(1)).contains("/message/role is a number"));
        assert!(broken(&|sent| sent["message"]["context_id"] = json!("c")).contains("it is spelt contextId"));
        assert!(broken(&|sent| sent["message"]["kind"] = json!("message")).contains("no member /message/kind"));
        assert!(
            broken(&|sent| drop(sent["message"].as_object_mut().unwrap().remove("role"))).contains("/message/role")
        );
        assert!(broken(&|sent| sent["message"]["parts"] = json!([])).contains("/message/parts"));
        assert!(
            broken(&|sent| sent["message"]["parts"] = json!([{ "text": "a", "data": 1 }])).contains("/message/parts/0")
        );
        assert!(
            broken(&|sent| sent["message"]["parts"] = json!([{ "kind": "text" }])).contains("/message/parts/0/kind")
        );
        body(JsonRpc, |body| body["params"]["message"]["parts"] = json!([{ "data": null }])).upheld(ID);
        body(JsonRpc, |body| body["params"]["metadata"] = json!({ "any_thing": [1, { "x": null }] })).upheld(ID);
    }

    #[test]
    fn heads_are_read_strictly() {
        let head = |on, change: &dyn Fn(&mut gauntlet_evidence::Request)| {
            let mut scene = Scene::new(&[on]);
            let x = scene.dispatch(B, on, "d-1");
            change(scene.sent(x));
            scene
        };
        assert!(
            head(JsonRpc, &|sent| sent.headers[0].1 = "text/plain".to_owned())
                .broken(ID)
                .contains("content type text/plain")
        );
        assert!(head(JsonRpc, &|sent| sent.method = "PUT".to_owned()).broken(ID).contains("not PUT"));
        assert!(head(JsonRpc, &|sent| sent.path = "/rpc/extra".to_owned()).broken(ID).contains("below the url"));
        assert!(
            head(HttpJson, &|sent| sent.path = "/rest/a/b/message:send".to_owned())
                .broken(ID)
                .contains("/message:send is no route")
        );
        assert!(head(HttpJson, &|sent| sent.method = "PUT".to_owned()).broken(ID).contains("by POST"));
        assert!(
            head(Grpc, &|sent| sent.path = "/a2a.v1.A2AService/SendMessage".to_owned())
                .broken(ID)
                .contains("no method")
        );
        assert!(
            head(Grpc, &|sent| sent.headers[0].1 = "application/json".to_owned())
                .broken(ID)
                .contains("application/grpc")
        );
        head(HttpJson, &|sent| sent.headers[0].1 = "application/a2a+json; charset=utf-8".to_owned()).upheld(ID);
        head(JsonRpc, &|sent| sent.path = "/rpc/?A2A-Version=1.0".to_owned()).upheld(ID);
    }

    #[test]
    fn posts_to_nowhere_are_invalid_and_stray_reads_are_not_judged() {
        let mut scene = Scene::new(&[JsonRpc]);
        let x = scene.dispatch(B, JsonRpc, "d-1");
        let sent = scene.sent(x);
        (sent.class, sent.operation, sent.path) = (RequestClass::Other, None, "/elsewhere".to_owned());
        assert!(scene.broken(ID).contains("POST /elsewhere is no JSONRPC interface of its card"));
        let sent = scene.sent(x);
        sent.method = "GET".to_owned();
        scene.open(ID);
    }

    #[test]
    fn bodies_the_journal_had_no_room_for_are_not_held_against_anybody() {
        for on in [JsonRpc, HttpJson] {
            let mut scene = Scene::new(&[on]);
            let x = scene.dispatch(B, on, "d-1");
            scene.sent(x).body = Raw::Empty;
            scene.upheld(ID);
        }
    }
}
