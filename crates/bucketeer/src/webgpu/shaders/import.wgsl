// Bases: from arkworks' affine coordinates into their stored form.

struct Params {
    count: u32,
    first: u32, // the place of the first in the table
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> raw: array<u32>;
@group(0) @binding(2) var<storage, read_write> table: array<u32>;

@compute @workgroup_size(64)
fn import_bases(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
                @builtin(local_invocation_index) local: u32) {
    let i = (group.y * groups.x + group.x) * 64u + local;
    if (i >= params.count) {
        return;
    }
    let at = i * 2u * FQ_WORDS;
    // Infinity is all ones, which no reduced coordinate is.
    var all = 0xffffffffu;
    for (var k = 0u; k < WORDS; k++) { // unroll
        all &= raw[at + k];
    }
    let x = fq_import(raw_fq(at));
    let y = fq_import(raw_fq(at + FQ_WORDS));
    table_set_base(params.first + i, base_of_affine(x, y, all == 0xffffffffu));
}
