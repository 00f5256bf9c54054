// What every project runs: an MSM on two workers, of bases with known logarithms.

export async function check({ Bucketeer }) {
  const cpu = await Bucketeer.create({ device: "cpu", threads: 2 });
  const bases = await cpu.generate("bn254", 600, { seed: 1 });
  const [{ x, y }, expected] = [await bases.msmOf({ seed: 2 }), await bases.expected({ seed: 2 })];
  const right = x === expected.x && y === expected.y && bases.plan.startsWith("shares");
  const text = `${right ? "right" : "wrong"} on ${cpu.device.description}`;
  cpu.close();
  return text;
}
