// Between group and accumulate: the lists of the buckets are cut into tasks of at most
// `task_entries` entries, ordered by length, longest first, so that neighbouring invocations finish
// together.
//
// A bucket with one task gets its sum from it. A bucket with several is a *split* bucket: its tasks
// leave partial sums in slots one after the other, which are then folded; each slot knows its
// owner.

var<workgroup> classes: array<atomic<u32>, CLASSES>;
var<workgroup> reserved: array<atomic<u32>, 2>;
var<workgroup> partial: array<u32, INVOCATIONS>;

fn class_of(length: u32) -> u32 {
    return CLASSES - 1u - min(length, CLASSES - 1u);
}

// How a list is cut: `longer` pieces of `each` + 1 entries and the rest of `each`.
struct Cut {
    start: u32,
    pieces: u32,
    each: u32,
    longer: u32,
}

fn cut(key: u32) -> Cut {
    if (key >= params.keys) {
        return Cut(0u, 0u, 0u, 0u);
    }
    let start = starts[key];
    let length = starts[key + 1u] - start;
    if (length == 0u) {
        return Cut(0u, 0u, 0u, 0u);
    }
    let pieces = (length - 1u) / params.task_entries + 1u;
    return Cut(start, pieces, length / pieces, length % pieces);
}

fn clear_classes(local: u32) {
    for (var j = local; j < CLASSES; j += INVOCATIONS) {
        atomicStore(&classes[j], 0u);
    }
    if (local < 2u) {
        atomicStore(&reserved[local], 0u);
    }
    workgroupBarrier();
}

fn count_pieces(c: Cut) {
    if (c.longer != 0u) {
        atomicAdd(&classes[class_of(c.each + 1u)], c.longer);
    }
    if (c.pieces != 0u) {
        atomicAdd(&classes[class_of(c.each)], c.pieces - c.longer);
    }
}

@compute @workgroup_size(INVOCATIONS)
fn count_classes(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    clear_classes(local);
    count_pieces(cut((group.y * groups.x + group.x) * INVOCATIONS + local));
    workgroupBarrier();
    for (var j = local; j < CLASSES; j += INVOCATIONS) {
        let count = atomicLoad(&classes[j]);
        if (count != 0u) {
            atomicAdd(&tasks[params.totals + CLASS_CURSORS + j], count);
        }
    }
}

// One workgroup; each invocation has as many classes.
@compute @workgroup_size(INVOCATIONS)
fn scan_classes(@builtin(local_invocation_index) local: u32) {
    let each = CLASSES / INVOCATIONS;
    let at = params.totals + CLASS_CURSORS + each * local;
    var own = 0u;
    for (var j = 0u; j < each; j++) {
        own += atomicLoad(&tasks[at + j]);
    }
    partial[local] = own;
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
    var start = partial[local] - own;
    for (var j = 0u; j < each; j++) {
        let count = atomicLoad(&tasks[at + j]);
        atomicStore(&tasks[at + j], start);
        start += count;
    }
    if (local == INVOCATIONS - 1u) {
        atomicStore(&tasks[params.totals + TASKS], start);
    }
}

// One key per invocation.
@compute @workgroup_size(INVOCATIONS)
fn make_tasks(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    clear_classes(local);
    let key = (group.y * groups.x + group.x) * INVOCATIONS + local;
    let c = cut(key);
    count_pieces(c);
    var slot = 0u;
    var split = 0u;
    if (c.pieces > 1u) {
        slot = atomicAdd(&reserved[0], c.pieces);
        split = atomicAdd(&reserved[1], 1u);
    }
    workgroupBarrier();
    for (var j = local; j < CLASSES; j += INVOCATIONS) {
        let count = atomicLoad(&classes[j]);
        if (count != 0u) {
            atomicStore(&classes[j], atomicAdd(&tasks[params.totals + CLASS_CURSORS + j], count));
        }
    }
    if (local < 2u) {
        let count = atomicLoad(&reserved[local]);
        atomicStore(&reserved[local], atomicAdd(&tasks[params.totals + SLOTS + local], count));
    }
    workgroupBarrier();
    slot += atomicLoad(&reserved[0]);
    split += atomicLoad(&reserved[1]);
    if (c.pieces > 1u) {
        let at = params.splits + SPLIT_WORDS * split;
        atomicStore(&tasks[at + SPLIT_BUCKET], key);
        atomicStore(&tasks[at + SPLIT_SLOT], slot);
        atomicStore(&tasks[at + SPLIT_PIECES], c.pieces);
    }
    var start = c.start;
    for (var piece = 0u; piece < c.pieces; piece++) {
        let own = c.each + u32(piece < c.longer);
        let at = TASK_WORDS * atomicAdd(&classes[class_of(own)], 1u);
        atomicStore(&tasks[at + TASK_BUCKET], key);
        atomicStore(&tasks[at + TASK_START], start);
        atomicStore(&tasks[at + TASK_LENGTH], own);
        atomicStore(&tasks[at + TASK_SLOT], select(NO_SLOT, slot + piece, c.pieces > 1u));
        if (c.pieces > 1u) {
            atomicStore(&tasks[params.owners + slot + piece], split);
        }
        start += own;
    }
}
