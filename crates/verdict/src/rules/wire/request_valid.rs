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
