//! `gauntlet card generate`.

use std::io::Write;
use std::path::Path;

use gauntlet_card::Case;

use super::args::{GenerateArgs, SeriesFormat};
use super::document;
use crate::diagnostics::Failure;
use crate::exit::Exit;
use crate::output;

/// Prints the cards, or writes them to a folder.
pub(crate) fn generate(args: &GenerateArgs) -> Result<Exit, Failure> {
    let generator = args.series.generator()?;
    let cases = (0..args.count).map(|index| generator.case(index));
    let written = match (args.format, &args.out) {
        (SeriesFormat::Dir, Some(folder)) => to_folder(folder, cases),
        (SeriesFormat::Dir, None) => return Err(Failure::Usage("say where with `--out DIR`".to_owned())),
        (SeriesFormat::Ndjson, Some(file)) => {
            return Err(Failure::Usage(format!("--out {} goes with `--format dir`", file.display())));
        }
        (SeriesFormat::Ndjson, None) => {
            let lines =
                |sink: &mut dyn Write| cases.into_iter().try_for_each(|case| sink.write_all(line(&case).as_bytes()));
            output::stream(lines)
        }
    };
    written.map_err(|error| Failure::System(format!("the cards cannot be written: {error}")))?;
    Ok(Exit::Fine)
}

/// A verdict and its document.
fn line(case: &Case) -> String {
    let verdict = case.verdict().to_string();
    format!("{},{}}}\n", verdict.trim_end_matches('}'), document::member(&case.bytes))
}

fn to_folder(folder: &Path, cases: impl Iterator<Item = Case>) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    let mut verdicts = std::io::BufWriter::new(std::fs::File::create(folder.join("verdicts.ndjson"))?);
    for case in cases {
        let rule = case.expected.as_ref().map_or("valid", |expected| expected.rule);
        let file = format!("{:06}-{rule}.json", case.index);
        std::fs::write(folder.join(&file), &case.bytes)?;
        let mut verdict = case.verdict();
        verdict["file"] = file.into();
        writeln!(verdicts, "{verdict}")?;
    }
    verdicts.flush()
}
