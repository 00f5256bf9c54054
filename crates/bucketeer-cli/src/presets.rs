//! `bucketeer presets`: lists the published strategies.

use bucketeer::plan::PRESETS;
use serde::Serialize;

use crate::output::{self, Outcome, Table};

#[derive(clap::Args)]
pub struct Args {
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Listing {
    presets: Vec<Entry>,
}

#[derive(Serialize)]
struct Entry {
    name: &'static str,
    about: &'static str,
}

/// Runs the command.
pub fn run(args: &Args) -> Outcome {
    if args.json {
        let entry =
            |preset: &bucketeer::plan::Preset| Entry { name: preset.name, about: preset.about };
        return output::json(&Listing { presets: PRESETS.iter().map(entry).collect() });
    }
    let mut table = Table::new(&["preset", "strategy"], 2);
    for preset in &PRESETS {
        table.row(vec![preset.name.into(), preset.about.into()]);
    }
    Ok(table.text())
}
