// Time per stage: one bar each, the longest of them full.

import { time } from "./format.js";

/** The stages that took any time, as elements. */
export function bars(timings) {
  const stages = Object.entries(timings).filter(([, milliseconds]) => milliseconds > 0);
  const longest = Math.max(...stages.map(([, milliseconds]) => milliseconds));
  return stages.map(([stage, milliseconds]) => {
    const fill = element("div", "fill");
    fill.style.width = `${(100 * milliseconds) / longest}%`;
    const track = element("div", "track", fill);
    const value = element("span", "value", time(milliseconds));
    const row = element("div", "bar", element("span", "", stage), track, value);
    row.dataset.stage = stage;
    return row;
  });
}

function element(name, className, ...children) {
  const made = document.createElement(name);
  made.className = className;
  made.append(...children);
  return made;
}
