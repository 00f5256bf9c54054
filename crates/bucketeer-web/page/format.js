// Numbers as people read them.

const UNITS = ["", "k", "M", "G"];
const SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹";

/** Three significant digits. */
function short(value) {
  return value >= 100 ? Math.round(value).toString() : value.toPrecision(3);
}

export function time(milliseconds) {
  if (milliseconds >= 60_000) return `${short(milliseconds / 60_000)} min`;
  if (milliseconds >= 1000) return `${short(milliseconds / 1000)} s`;
  if (milliseconds >= 1) return `${short(milliseconds)} ms`;
  return `${Math.round(1000 * milliseconds)} µs`;
}

export function count(value) {
  const unit = Math.min(
    UNITS.length - 1,
    Math.max(0, Math.floor(Math.log10(Math.max(value, 1)) / 3)),
  );
  return `${short(value / 1000 ** unit)}${unit ? ` ${UNITS[unit]}` : ""}`;
}

export function power(exponent) {
  return `2${[...String(exponent)].map((digit) => SUPERSCRIPTS[digit]).join("")}`;
}

export function bytes(value) {
  const unit = Math.min(3, Math.floor(Math.log2(Math.max(value, 1)) / 10));
  const scaled = value / 1024 ** unit;
  const number = Number.isInteger(scaled) ? scaled : scaled.toFixed(1);
  return `${number} ${["B", "KiB", "MiB", "GiB"][unit]}`;
}

/** A coordinate of a sum in hexadecimal. */
export function coordinate(value) {
  const hex = (integer) => `0x${integer.toString(16)}`;
  return Array.isArray(value) ? value.map(hex).join(", ") : hex(value);
}

export function digits(value) {
  return value.toLocaleString("en").replaceAll(",", "\u202f");
}
