
// Coordinates of the form that bases are stored in, but for a factor of x.
@compute @workgroup_size(INVOCATIONS)
fn import_bases(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = (group.y * groups.x + group.x) * INVOCATIONS + local;
    if (i >= params.count) {
        return;
    }
    let base = base_of_affine(scaled(raw_x(i)), raw_y(i), raw_is_infinite(i));
    table_set_base(params.first + i, base);
}
