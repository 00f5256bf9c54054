// Writing bases into the table.

fn table_set_base(index: u32, base: Base) {
    let at = index * BASE_WORDS;
    if (base.infinite) {
        for (var k = 0u; k < BASE_WORDS; k++) {
            table[at + k] = 0xffffffffu;
        }
        return;
    }
    table_set_fq(at, base.x);
    table_set_fq(at + FQ_WORDS, base.y);
}
