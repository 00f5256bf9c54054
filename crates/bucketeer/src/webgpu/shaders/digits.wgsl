// Digits of biased integers, read when they are needed and never stored; what the group stage is told.

struct Params {
    stride: u32, // distance of the words of an integer
    count: u32, // integers: at most segments · length
    length: u32, // integers of a segment
    word_count: u32, // words of an integer
    window_bits: u32,
    last_bits: u32, // bits of the last window
    windows: u32,
    zero: u32, // value of the bits that stands for digit 0
    sets: u32, // bucket sets in all
    first_set: u32, // the first one of this pass
    pass_sets: u32, // how many there are in this pass
    set_stride: u32, // sets between two segments
    bits: u32, // buckets of a set: 2^bits
    copy_stride: u32, // points between two copies of a base
    segment_stride: u32, // bases between two segments
    first_base: u32, // the first integer's
    rows: u32, // digits of an integer in this pass
    low: u32, // 2^low keys share a bin
    bins: u32,
    cursors: u32, // places in `counters`: of the keys' cursors,
    bin_counts: u32, // of the bins' counts,
    bin_starts: u32, // of the bins' starts
}

const NEGATIVE = 0x80000000u;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> integers: array<u32>;
@group(0) @binding(2) var<storage, read_write> counters: array<atomic<u32>>;

struct Digit {
    key: u32,
    entry: u32,
    there: bool, // whether it is not zero
}

// The digit of integer i in row y: set y mod pass_sets, copy y / pass_sets.
fn digit(i: u32, y: u32) -> Digit {
    let own = params.first_set + y % params.pass_sets;
    let copy = y / params.pass_sets;
    let window = own + copy * params.sets;
    if (window >= params.windows) {
        return Digit(0u, 0u, false);
    }
    let segment = i / params.length;
    let within = params.first_base + i % params.length;
    let base = segment * params.segment_stride + within + copy * params.copy_stride;
    let width = select(params.window_bits, params.last_bits, window == params.windows - 1u);
    let bit = window * params.window_bits;
    let word = bit / 32u;
    let shift = bit % 32u;
    var value = integers[word * params.stride + i] >> shift;
    if (shift + width > 32u) {
        value |= integers[(word + 1u) * params.stride + i] << (32u - shift);
    }
    value &= (1u << width) - 1u;
    let below = value < params.zero;
    let bucket = select(value - params.zero, params.zero - value, below) - 1u;
    let negative = integers[(params.word_count - 1u) * params.stride + i] & NEGATIVE;
    let key = ((segment * params.set_stride + y % params.pass_sets) << params.bits) + bucket;
    return Digit(key, base | (negative ^ select(0u, NEGATIVE, below)), value != params.zero);
}
