// Stage 2, group, by sorting: entries move to bins of 2^low keys first, then to their buckets
// within the bin, so that what is counted and written at the same time lies together.

var<workgroup> histogram: array<atomic<u32>, MAX_BINS>;

fn tile_digit(t: u32) -> Digit {
    if (t >= params.count * params.rows) {
        return Digit(0u, 0u, false);
    }
    return digit(t % params.count, t / params.count);
}

// The histogram of a tile's digits over the bins.
fn count_tile(first: u32, local: u32) {
    for (var j = local; j < params.bins; j += INVOCATIONS) {
        atomicStore(&histogram[j], 0u);
    }
    workgroupBarrier();
    for (var t = local; t < TILE; t += INVOCATIONS) {
        let d = tile_digit(first + t);
        if (d.there) {
            atomicAdd(&histogram[d.key >> params.low], 1u);
        }
    }
    workgroupBarrier();
}

@compute @workgroup_size(INVOCATIONS)
fn count_bins(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let first = (group.y * groups.x + group.x) * TILE;
    count_tile(first, local);
    for (var j = local; j < params.bins; j += INVOCATIONS) {
        let count = atomicLoad(&histogram[j]);
        if (count != 0u) {
            atomicAdd(&counters[params.bin_counts + j], count);
        }
    }
}

// The bins' counts have become their cursors.
@compute @workgroup_size(INVOCATIONS)
fn scatter_bins(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let first = (group.y * groups.x + group.x) * TILE;
    count_tile(first, local);
    for (var j = local; j < params.bins; j += INVOCATIONS) {
        let count = atomicLoad(&histogram[j]);
        if (count != 0u) {
            atomicStore(&histogram[j], atomicAdd(&counters[params.bin_counts + j], count));
        }
    }
    workgroupBarrier();
    for (var t = local; t < TILE; t += INVOCATIONS) {
        let d = tile_digit(first + t);
        if (d.there) {
            binned[atomicAdd(&histogram[d.key >> params.low], 1u)] = vec2<u32>(d.key, d.entry);
        }
    }
}

@compute @workgroup_size(INVOCATIONS)
fn count_binned(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = (group.y * groups.x + group.x) * INVOCATIONS + local;
    if (i < atomicLoad(&counters[params.bin_starts + params.bins])) {
        atomicAdd(&counters[params.cursors + binned[i].x], 1u);
    }
}

@compute @workgroup_size(INVOCATIONS)
fn scatter_binned(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = (group.y * groups.x + group.x) * INVOCATIONS + local;
    if (i < atomicLoad(&counters[params.bin_starts + params.bins])) {
        let packed = binned[i];
        entries[atomicAdd(&counters[params.cursors + packed.x], 1u)] = packed.y;
    }
}
