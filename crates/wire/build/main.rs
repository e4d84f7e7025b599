//! Compiles the proto files without protoc: descriptors (with the HTTP routes), message types and their ProtoJSON.

#![expect(clippy::print_stdout, reason = "how build scripts speak to cargo")]

mod protojson;

use std::path::PathBuf;

use prost::Message as _;

const FILES: [&str; 3] = ["a2a.proto", "google/rpc/status.proto", "google/rpc/error_details.proto"];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo:rerun-if-changed=proto");
    println!("cargo:rerun-if-changed=build");
    let out = PathBuf::from(std::env::var("OUT_DIR")?);

    // `encode_file_descriptor_set` keeps the google.api.http options, which plain prost types would lose.
    let mut compiler = protox::Compiler::new(["proto"])?;
    compiler.include_imports(true).open_files(FILES)?;
    let bytes = compiler.encode_file_descriptor_set();
    std::fs::write(out.join("descriptors.bin"), &bytes)?;

    let pool = prost_reflect::DescriptorPool::decode(bytes.as_slice())?;
    let mut config = prost_build::Config::new();
    config.bytes(["."]).btree_map(["."]);
    for message in pool.all_messages() {
        let name = message.full_name();
        if name.starts_with("google.protobuf.") {
            continue;
        }
        config.type_attribute(
            name,
            format!(
                "#[derive(::prost_reflect::ReflectMessage)]\n\
                 #[prost_reflect(message_name = \"{name}\", descriptor_pool = \"crate::descriptor::pool_owned()\")]"
            ),
        );
    }
    std::fs::write(out.join("protojson.rs"), protojson::generate(&pool, "lf.a2a.v1"))?;
    config.compile_fds(prost_types::FileDescriptorSet::decode(bytes.as_slice())?)?;
    Ok(())
}
