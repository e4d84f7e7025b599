//! How fast a healthy peer serves, beside bare servers that do nothing: read the ratios of one run, not the numbers.
//!
//! `cargo bench -p gauntlet-fleet`

mod client;
mod echo;

use std::time::{Duration, Instant};

use client::{Answers, Caller};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use gauntlet_fleet::{Fleet, FleetOptions, JournalLimits, PeerPlan};
use gauntlet_scenario::{ArtifactStep, Behaviour, PeerSpec, Step};
use gauntlet_wire::Binding;
use tokio::runtime::Runtime;

/// That of the `gauntlet` binary; it serves the bare servers as well.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Requests are spread over this many connections, each with one in flight.
const CONNECTIONS: usize = 8;
const CHUNKS: u32 = 1_000;

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("threads to run on")
}

fn peer(behaviour: Behaviour, name: &str) -> PeerPlan {
    PeerPlan::healthy(PeerSpec { behaviour, ..PeerSpec::healthy(name, Binding::ALL) })
}

async fn fleet(behaviour: Behaviour) -> (Fleet, String) {
    // As `gauntlet serve` keeps it: a journal that is full would cost nothing any more.
    let journal = JournalLimits { forgets: true, ..JournalLimits::default() };
    let options = FleetOptions { journal, ..FleetOptions::default() };
    let fleet = Fleet::start(vec![peer(behaviour, "peer")], options).await.expect("the fleet starts");
    let authority = fleet.addresses()[0].base_url.trim_start_matches("http://").to_owned();
    (fleet, authority)
}

/// Time for `requests` calls over all connections.
fn calls(runtime: &Runtime, callers: &mut [Caller], requests: u64) -> Duration {
    runtime.block_on(async {
        let begun = Instant::now();
        let share = requests.div_ceil(callers.len() as u64);
        futures::future::join_all(callers.iter_mut().map(|caller| async move {
            for _ in 0..share {
                caller.call().await;
            }
        }))
        .await;
        begun.elapsed()
    })
}

/// SendMessage with the journal on, beside an echo of the same request.
fn send_message(criterion: &mut Criterion) {
    let runtime = runtime();
    let (_fleet, peer) = runtime.block_on(fleet(Behaviour::steps(vec![Step::Complete(Some("done".to_owned()))])));
    let (_json, json) = runtime.block_on(echo::json());
    let (_grpc, grpc) = runtime.block_on(echo::grpc());
    let mut group = criterion.benchmark_group("SendMessage");
    group.throughput(Throughput::Elements(1));
    for (name, binding, authority, answers) in [
        ("JSONRPC/bare axum echo", Binding::JsonRpc, &json, Answers::Whole),
        ("JSONRPC/peer", Binding::JsonRpc, &peer, Answers::Whole),
        ("HTTP+JSON/peer", Binding::HttpJson, &peer, Answers::Whole),
        ("GRPC/bare tonic echo", Binding::Grpc, &grpc, Answers::Whole),
        ("GRPC/peer", Binding::Grpc, &peer, Answers::Whole),
    ] {
        let mut callers: Vec<Caller> =
            (0..CONNECTIONS).map(|_| runtime.block_on(Caller::connect(binding, authority, answers))).collect();
        group.bench_function(name, |bencher| bencher.iter_custom(|requests| calls(&runtime, &mut callers, requests)));
    }
    group.finish();
}

/// A stream of a thousand artifact chunks, read to the end.
fn stream(criterion: &mut Criterion) {
    let runtime = runtime();
    let text = "0123456789".repeat(CHUNKS as usize);
    let artifact = ArtifactStep { text: Some(text), chunks: CHUNKS, ..ArtifactStep::default() };
    let steps = vec![Step::Working(None), Step::Artifact(artifact), Step::Complete(None)];
    let (_fleet, peer) = runtime.block_on(fleet(Behaviour::steps(steps)));
    let mut group = criterion.benchmark_group("a stream of 1,000 events");
    group.throughput(Throughput::Elements(u64::from(CHUNKS)));
    for binding in Binding::ALL {
        let mut caller = [runtime.block_on(Caller::connect(binding, &peer, Answers::Stream))];
        group.bench_function(binding.name(), |bencher| {
            bencher.iter_custom(|requests| calls(&runtime, &mut caller, requests));
        });
    }
    group.finish();
}

/// Starting and stopping fleets.
fn start(criterion: &mut Criterion) {
    let runtime = runtime();
    let mut group = criterion.benchmark_group("start and stop");
    for peers in [1_u64, 100] {
        group.throughput(Throughput::Elements(peers));
        group.bench_with_input(BenchmarkId::new("peers", peers), &peers, |bencher, peers| {
            bencher.iter(|| {
                runtime.block_on(async {
                    let plans = (0..*peers).map(|index| peer(Behaviour::default(), &format!("peer-{index}"))).collect();
                    let fleet = Fleet::start(plans, FleetOptions::default()).await.expect("the fleet starts");
                    fleet.stop().await.expect("the fleet stops");
                });
            });
        });
    }
    group.finish();
}

criterion_group! {
    name = serving;
    config = Criterion::default().sample_size(20).measurement_time(Duration::from_secs(4));
    targets = send_message, stream, start
}
criterion_main!(serving);
