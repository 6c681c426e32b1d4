"""Makes an engine that plays tokens at a pace of the one that vLLM's Rust frontend is tested with.

usage: vllm_engine.py SOURCES TARGET

SOURCES is the folder rust of vLLM 0.33.0's sources. TARGET/wheel holds its wheel; TARGET gets the frontend out of it, and the
sources with three changes: only what the engine needs is built, a step waits for the pace in $MOCK_STEP_US, and the tokens are
those in the file $MOCK_IDS instead of random ones.
"""

import glob
import pathlib
import re
import shutil
import sys
import zipfile

PACED = """//! Tokens of a text instead of random ones, at a pace, for comparisons on equal terms.
use rand::Rng as _;
use rand::rngs::StdRng;
use std::sync::LazyLock;
use std::time::Duration;
use tokio::time::{Interval, MissedTickBehavior, interval};

static IDS: LazyLock<Vec<u32>> = LazyLock::new(|| {
    std::env::var("MOCK_IDS").map_or_else(
        |_| Vec::new(),
        |file| {
            let text = std::fs::read_to_string(&file).expect("MOCK_IDS names no file");
            text.split_whitespace().map(|id| id.parse().expect("MOCK_IDS holds no numbers")).collect()
        },
    )
});

pub(crate) fn next(rng: &mut StdRng, vocabulary: u32, at: usize) -> u32 {
    if IDS.is_empty() { rng.random_range(0..vocabulary) } else { IDS[at % IDS.len()] }
}

pub(crate) fn ticker() -> Option<Interval> {
    let micros: u64 = std::env::var("MOCK_STEP_US").ok()?.parse().expect("MOCK_STEP_US is no number");
    let mut ticker = interval(Duration::from_micros(micros.max(1)));
    ticker.set_missed_tick_behavior(MissedTickBehavior::Delay);
    (micros > 0).then_some(ticker)
}

pub(crate) async fn pace(ticker: &mut Option<Interval>) {
    match ticker {
        Some(ticker) => {
            ticker.tick().await;
        }
        None => tokio::task::yield_now().await,
    }
}
"""


def change(file, *changes):
    text = file.read_text()
    for old, new in changes:
        text, count = re.subn(old, new, text, count=1, flags=re.S)
        if count == 0:
            sys.exit(f"{file} is not what it is in vLLM 0.33.0: nothing matches {old}")
    file.write_text(text)


def main(sources, target):
    target = pathlib.Path(target)
    (wheel,) = glob.glob(str(target / "wheel" / "vllm-0.33.0*.whl"))
    with zipfile.ZipFile(wheel) as archive:
        (target / "vllm-rs").write_bytes(archive.read("vllm/vllm-rs"))
    rust = target / "rust"
    shutil.rmtree(rust, ignore_errors=True)
    shutil.copytree(sources, rust)
    (rust / "Cargo.lock").unlink()
    change(
        rust / "Cargo.toml",
        (r"members = \[.*?\]", 'members = ["src/engine-core-client", "src/metrics", "src/mock-engine"]'),
        (r'zeromq = \{ git = "[^"]*", rev = "[^"]*"', 'zeromq = { version = "0.7.0"'),
        (r"llm-multimodal = [^\n]*\n", ""),
        (r"openai-harmony = [^\n]*\n", ""),
    )
    engine = rust / "src" / "mock-engine" / "src"
    (engine / "paced.rs").write_text(PACED)
    change(engine / "lib.rs", (r"pub mod io;", "pub mod io;\nmod paced;"))
    change(
        engine / "engine.rs",
        (r"use tokio::task::yield_now;\n", ""),
        (
            r"self\.rng\.random_range\(0\.\.opt\.vocab_size\)",
            "crate::paced::next(&mut self.rng, opt.vocab_size, self.generated + new_token_ids.len())",
        ),
        (r"\n    loop \{", "\n    let mut ticker = crate::paced::ticker();\n    loop {"),
        (r"_ = yield_now\(\), if", "_ = crate::paced::pace(&mut ticker), if"),
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
