// Bases: from arkworks' affine coordinates into their stored form.

struct Params {
    count: u32,
    first: u32, // the place of the first in the table
    invocations: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
// The coordinates, and room for a field element more for each base.
@group(0) @binding(1) var<storage, read_write> raw: array<u32>;
@group(0) @binding(2) var<storage, read_write> table: array<u32>;

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
