//! How long validation takes beside plain parsing of the same bytes, and how fast cards are generated.
//!
//! `cargo bench -p gauntlet-card --features json-schema --bench cards`; `docs/performance.md` has the figures. The aims: all
//! four layers within six times of what `serde_json` takes to parse, and 20,000 generated cards a second on a core.

use std::hint::black_box;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use gauntlet_card::{Edition, Generator, Layer, Options, SchemaFile, Versions, bundle, validate};

/// The same as in the binary.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn validation(criterion: &mut Criterion) {
    let generator = Generator::new(1, Versions::Current, 0, &[]).expect("a generator");
    let cards: Vec<Vec<u8>> = (0..500).map(|index| generator.case(index).bytes).collect();
    let bytes = cards.iter().map(Vec::len).sum::<usize>();
    let mut group = criterion.benchmark_group("500 cards");
    group.throughput(Throughput::Bytes(bytes as u64));
    group.bench_function("serde_json parses", |bencher| {
        bencher.iter(|| cards.iter().for_each(|card| _ = black_box(serde_json::from_slice::<serde_json::Value>(card))));
    });
    let options = Options::default();
    group.bench_function("four layers", |bencher| {
        bencher.iter(|| cards.iter().for_each(|card| _ = black_box(validate(card, &options))));
    });
    let options = Options { deepest: Layer::Schema, ..Options::default() };
    group.bench_function("layers parse and schema", |bencher| {
        bencher.iter(|| cards.iter().for_each(|card| _ = black_box(validate(card, &options))));
    });
    // What a compiled JSON Schema takes for layer schema, in place of the tables.
    let schema = SchemaFile::read(bundle().to_string().as_bytes(), "AgentCard").expect("the bundle is a schema");
    let options = Options { schema: Some(schema), ..Options::default() };
    group.bench_function("four layers, a JSON Schema from a file among them", |bencher| {
        bencher.iter(|| cards.iter().for_each(|card| _ = black_box(validate(card, &options))));
    });
    group.finish();
}

fn generation(criterion: &mut Criterion) {
    let generator = Generator::new(1, Versions::Mixed, 50, &[]).expect("a generator");
    let mut group = criterion.benchmark_group("generation");
    group.throughput(Throughput::Elements(1));
    let mut index = 0;
    group.bench_function("a card and its verdict", |bencher| {
        bencher.iter_batched(
            || {
                index += 1;
                index
            },
            |index| black_box(generator.case(index)),
            BatchSize::SmallInput,
        );
    });
    group.bench_function("a valid card", |bencher| {
        bencher.iter(|| black_box(gauntlet_card::generate_card(Edition::V1_0, &mut gauntlet_card::Draw::seeded(1, 1))));
    });
    group.finish();
}

criterion_group!(benches, validation, generation);
criterion_main!(benches);
