// The rows of a comparison: a bar as long as the time, and how many times the fastest it is.

import { power, time } from "./format.js";

function cell(text, name) {
  const cell = document.createElement("td");
  cell.textContent = text;
  if (name) cell.className = name;
  return cell;
}

/** Shows a comparison, as far as there are rows, in the element. */
export function showComparison(element, { curve, log, rows, browser, date }) {
  const times = rows
    .map(({ milliseconds }) => milliseconds)
    .filter((time) => Number.isFinite(time));
  const [least, most] = [Math.min(...times), Math.max(...times)];
  const body = rows.map(({ engine, detail, milliseconds, failure }) => {
    const row = document.createElement("tr");
    row.dataset.engine = engine;
    const done = Number.isFinite(milliseconds);
    const name = cell(engine, "engine");
    const more = document.createElement("small");
    more.textContent = done ? detail : (failure ?? "");
    name.append(more);
    const bar = cell("", "length");
    if (done) {
      const length = document.createElement("span");
      length.style.width = `${Math.max(1, (100 * milliseconds) / most)}%`;
      bar.append(length);
    }
    const factor = done && milliseconds > least ? `${(milliseconds / least).toFixed(2)} ×` : "";
    row.append(
      name,
      bar,
      cell(done ? time(milliseconds) : "not run", "figure"),
      cell(factor, "factor"),
    );
    return row;
  });
  const caption = document.createElement("caption");
  const where = browser ? `, shared from ${browser}, ${String(date).slice(0, 10)}` : "";
  caption.textContent = `${curve}, ${power(log)} bases, resident; fastest of three runs${where}`;
  element.replaceChildren(caption, ...body);
}
