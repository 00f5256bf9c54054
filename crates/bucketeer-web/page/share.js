// A comparison as JSON, and as a link that holds it: nothing is sent anywhere.

const PREFIX = "#result=";

/** What is shared of a comparison. */
export function shared({ curve, log, rows }) {
  const threads = navigator.hardwareConcurrency ?? null;
  return {
    curve,
    log,
    rows,
    browser: navigator.userAgent,
    processors: threads,
    date: new Date().toISOString(),
  };
}

export function linkOf(result) {
  const bytes = new TextEncoder().encode(JSON.stringify(result));
  const text = btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/=+$/, "");
  return new URL(PREFIX + text, location.href).href;
}

/** The comparison in the page's address; null if there is none, or none that is whole. */
export function resultOf(hash) {
  if (!hash.startsWith(PREFIX)) return null;
  try {
    const text = atob(hash.slice(PREFIX.length).replaceAll("-", "+").replaceAll("_", "/"));
    const result = JSON.parse(
      new TextDecoder().decode(Uint8Array.from(text, (letter) => letter.charCodeAt(0))),
    );
    const whole = ({ engine, detail }) => typeof engine === "string" && typeof detail === "string";
    const known =
      typeof result.curve === "string" &&
      Number.isInteger(result.log) &&
      result.log >= 0 &&
      result.log < 64;
    return known && Array.isArray(result.rows) && result.rows.every(whole) ? result : null;
  } catch {
    return null;
  }
}

export function asFile(result, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(
    new Blob([`${JSON.stringify(result, null, 2)}\n`], { type: "application/json" }),
  );
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
