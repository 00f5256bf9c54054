// Digits of biased integers, read when they are needed and never stored.

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
