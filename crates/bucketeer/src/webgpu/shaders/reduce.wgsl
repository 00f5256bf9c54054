// Stage 4, reduce, by window splitting: Σ i·Sᵢ over 2^bits buckets of a set.
//
// With i = hi·2^l + lo the sum is 2^l·Σ hi·(row sum of hi) + Σ lo·(column sum of lo), and for each
// of the two short lists Σ i·Xᵢ = Σ 2^j·(sum of the Xᵢ whose index has bit j). Everything is sums
// of elements of a list, which one shader computes, several times over where there are many.

// Which elements an output adds up is its mode.
// RUNS: out o: elements o·count + k
// COLUMNS: out (set, column): elements set·count·columns + k·columns + column
// BITS: out (set, bit): the elements of a set of 2·count whose index has the bit
//
// Each output is the sum of `pieces` results of `count / pieces` elements, an invocation each.
@compute @workgroup_size(INVOCATIONS)
fn add_up(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let at = (group.y * groups.x + group.x) * INVOCATIONS + local;
    let o = at / params.pieces;
    if (o >= params.outputs) {
        return;
    }
    let outer = o / params.inner;
    let within = o % params.inner;
    let share = (params.count + params.pieces - 1u) / params.pieces;
    let begin = at % params.pieces * share;
    var sum = sum_identity();
    for (var k = begin; k < min(begin + share, params.count); k++) {
        var index = 0u;
        if (params.mode == RUNS) {
            index = o * params.count + k;
        } else if (params.mode == COLUMNS) {
            index = (outer * params.count + k) * params.inner + within;
        } else {
            let bit = 1u << within;
            let with_bit = ((k >> within) << (within + 1u)) | bit | (k & (bit - 1u));
            index = outer * 2u * params.count + with_bit;
        }
        if (params.from_buckets != 0u) {
            sum = sum_add(sum, buckets_sum(index));
        } else {
            sum = sum_add(sum, sums_sum(params.input + index));
        }
    }
    sums_set_sum(params.output + at, sum);
}
