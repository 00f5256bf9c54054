// Stage 2, group: digits → for each bucket the list of its bases, by count, scan and scatter.
//
// A key is a bucket: (segment · set stride + set) · 2^bits + bucket.

@compute @workgroup_size(INVOCATIONS)
fn count_keys(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x >= params.count) {
        return;
    }
    let d = digit(id.x, id.y);
    if (d.there) {
        atomicAdd(&counters[params.cursors + d.key], 1u);
    }
}

@compute @workgroup_size(INVOCATIONS)
fn scatter_keys(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x >= params.count) {
        return;
    }
    let d = digit(id.x, id.y);
    if (d.there) {
        entries[atomicAdd(&counters[params.cursors + d.key], 1u)] = d.entry;
    }
}
