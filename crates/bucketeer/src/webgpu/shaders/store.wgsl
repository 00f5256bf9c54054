// Writing field elements and sums into the buffer `elements`; put together once for each buffer.

fn elements_set_fp(at: u32, value: Fp) {
    let words = fp_pack(value);
    for (var k = 0u; k < WORDS; k++) { // unroll
        elements[at + k] = words[k];
    }
}

fn elements_set_sum(index: u32, sum: Sum) {
    let at = index * SUM_WORDS;
    let parts = sum_parts(sum);
    elements_set_fq(at, parts[0]);
    elements_set_fq(at + FQ_WORDS, parts[1]);
    elements_set_fq(at + 2u * FQ_WORDS, parts[2]);
    elements_set_fq(at + 3u * FQ_WORDS, parts[3]);
}
