// Bases: from arkworks' affine coordinates into their stored form.

// Infinity is all ones, which no reduced coordinate is.
fn raw_is_infinite(i: u32) -> bool {
    var all = 0xffffffffu;
    for (var k = 0u; k < WORDS; k++) { // unroll
        all &= raw[i * 2u * FQ_WORDS + k];
    }
    return all == 0xffffffffu;
}

fn raw_x(i: u32) -> Fq {
    return fq_import(raw_fq(i * 2u * FQ_WORDS));
}

fn raw_y(i: u32) -> Fq {
    return fq_import(raw_fq((i * 2u + 1u) * FQ_WORDS));
}
