// Stage 1, decompose: scalars → biased integers, from which each window reads its digit.
//
// Word w of integer i goes to out[w·stride + i], the integer's sign into the top bit of its last
// word. The field of field.wgsl is the scalars': p is the order. The prelude defines the constants
// FROM_MONTGOMERY, by which arkworks' residues become integers, and HALF_ORDER.

fn bias(j: u32) -> u32 {
    return params.bias[j / 4u][j % 4u];
}

// Whether these are the words of an element below the order.
fn below_order(words: Packed, element: Fp) -> bool {
    var borrow = 0u;
    for (var k = 0u; k < LIMBS; k++) { // unroll
        borrow = (element[k] - P[k] - borrow) >> 31u;
    }
    // Limbs may have fewer bits than words.
    let packed = fp_pack(element);
    var lost = 0u;
    for (var k = 0u; k < WORDS; k++) { // unroll
        lost |= packed[k] ^ words[k];
    }
    return borrow != 0u && lost == 0u;
}

@compute @workgroup_size(INVOCATIONS)
fn decompose_residues(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = (group.y * groups.x + group.x) * INVOCATIONS + local;
    if (i >= params.count) {
        return;
    }
    var words = Packed();
    for (var k = 0u; k < WORDS; k++) { // unroll
        words[k] = raw[i * WORDS + k];
    }
    var residue = fp_unpack(words);
    if (params.montgomery != 0u) {
        residue = fp_mul(residue, FROM_MONTGOMERY);
    } else if (!below_order(words, residue)) {
        atomicMin(&counters[params.too_large], params.first + i);
    }
    var borrow = 0u;
    for (var k = 0u; k < LIMBS; k++) { // unroll
        borrow = (HALF_ORDER[k] - residue[k] - borrow) >> 31u;
    }
    let negative = borrow & params.negate;
    residue = fp_select(negative != 0u, fp_neg(residue), residue);
    var packed = fp_pack(residue);
    var carry = 0u;
    for (var j = 0u; j < params.words; j++) {
        var word = 0u;
        if (j < WORDS) {
            word = packed[j];
        }
        let low = word + carry;
        let sum = low + bias(j);
        carry = u32(low < word) | u32(sum < low);
        integers[j * params.stride + params.at + i] =
            select(sum, sum | (negative << 31u), j == params.words - 1u);
    }
}

@compute @workgroup_size(INVOCATIONS)
fn decompose_integers(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = (group.y * groups.x + group.x) * INVOCATIONS + local;
    if (i >= params.count) {
        return;
    }
    // The complement of a negative integer is |k| − 1; the missing one is the first carry.
    let last_byte = i * params.bytes + params.bytes - 1u;
    let negative = params.is_signed & (raw[last_byte / 4u] >> (8u * (last_byte % 4u) + 7u)) & 1u;
    var used = 0xffffffffu;
    if (params.bytes < 4u) {
        used = (1u << (8u * params.bytes)) - 1u;
    }
    var fits = true;
    var carry = negative;
    for (var j = 0u; j < max((params.bytes + 3u) / 4u, params.words); j++) {
        var word = 0u;
        if (4u * j < params.bytes) {
            let at = i * params.bytes + 4u * j;
            word = ((raw[at / 4u] >> (8u * (at % 4u))) ^ (0u - negative)) & used;
        }
        var allowed = 0u;
        if (params.bits >= 32u * (j + 1u)) {
            allowed = 0xffffffffu;
        } else if (params.bits > 32u * j) {
            allowed = (1u << (params.bits - 32u * j)) - 1u;
        }
        fits = fits && (word & ~allowed) == 0u;
        if (j < params.words) {
            let low = word + carry;
            let sum = low + bias(j);
            carry = u32(low < word) | u32(sum < low);
            integers[j * params.stride + params.at + i] =
                select(sum, sum | (negative << 31u), j == params.words - 1u);
        }
    }
    if (!fits) {
        atomicMin(&counters[params.too_large], params.first + i);
    }
}
