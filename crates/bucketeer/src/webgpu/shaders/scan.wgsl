// Between counting and scattering: where each bin and each bucket's list starts.

var<workgroup> partial: array<u32, INVOCATIONS>;

// Exclusive scan of one value per invocation: x is the sum of the values of the invocations before
// it, y the total of the workgroup.
fn scan(value: u32, local: u32) -> vec2<u32> {
    partial[local] = value;
    workgroupBarrier();
    for (var d = 1u; d < INVOCATIONS; d *= 2u) {
        var before = 0u;
        if (local >= d) {
            before = partial[local - d];
        }
        workgroupBarrier();
        partial[local] += before;
        workgroupBarrier();
    }
    let result = vec2<u32>(partial[local] - value, partial[INVOCATIONS - 1u]);
    workgroupBarrier();
    return result;
}

// One workgroup per bin adds up its buckets' counts.
@compute @workgroup_size(INVOCATIONS)
fn total_bins(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    var sum = 0u;
    for (var j = local; j < 1u << params.low; j += INVOCATIONS) {
        sum += counters[params.cursors + (group.x << params.low) + j];
    }
    let total = scan(sum, local).y;
    if (local == 0u) {
        counters[params.bin_counts + group.x] = total;
    }
}

// One workgroup: where each bin starts.
@compute @workgroup_size(INVOCATIONS)
fn scan_bins(@builtin(local_invocation_index) local: u32) {
    var entries = 0u;
    for (var first = 0u; first < params.bins; first += INVOCATIONS) {
        let j = first + local;
        var count = 0u;
        if (j < params.bins) {
            count = counters[params.bin_counts + j];
        }
        let place = scan(count, local);
        if (j < params.bins) {
            counters[params.bin_starts + j] = entries + place.x;
            counters[params.bin_counts + j] = entries + place.x;
        }
        entries += place.y;
    }
    if (local == 0u) {
        counters[params.bin_starts + params.bins] = entries;
    }
}

// One workgroup per bin: where each bucket's list starts.
@compute @workgroup_size(INVOCATIONS)
fn scan_buckets(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let first_key = group.x << params.low;
    let keys = 1u << params.low;
    var sum = counters[params.bin_starts + group.x];
    for (var first = 0u; first < keys; first += INVOCATIONS) {
        let j = first + local;
        var count = 0u;
        if (j < keys) {
            count = counters[params.cursors + first_key + j];
        }
        let place = scan(count, local);
        if (j < keys) {
            counters[first_key + j] = sum + place.x;
            counters[params.cursors + first_key + j] = sum + place.x;
        }
        sum += place.y;
    }
    if (group.x == groups.x - 1u && local == 0u) {
        counters[groups.x << params.low] = sum;
    }
}
