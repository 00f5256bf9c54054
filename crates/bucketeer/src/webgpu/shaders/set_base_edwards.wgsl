// Writing bases into the table.

fn table_set_base(index: u32, base: Base) {
    let at = index * BASE_WORDS;
    table_set_fq(at, base.minus);
    table_set_fq(at + FQ_WORDS, base.plus);
    table_set_fq(at + 2u * FQ_WORDS, base.product);
}
