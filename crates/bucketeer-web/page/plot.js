// Throughput against size, both logarithmic, as SVG. It is drawn anew for every width, so that text
// keeps its size on a phone.

import { count, power, time } from "./format.js";

const HEIGHT = 300;
const MARGIN = { left: 58, right: 16, top: 12, bottom: 34 };
const SIZES = [8, 20];
const COLOURS = 6;

export class Plot {
  #host;
  #series = new Map();

  constructor(host) {
    this.#host = host;
    new ResizeObserver(() => this.#draw()).observe(host);
  }

  /** Adds the time of a run with 2^log bases; a second run of the same size replaces the first. */
  add(name, log, milliseconds) {
    if (!this.#series.has(name)) this.#series.set(name, new Map());
    this.#series.get(name).set(log, milliseconds);
    this.#draw();
  }

  #draw() {
    const width = this.#host.clientWidth;
    const runs = [...this.#series.values()].flatMap((sizes) => [...sizes]);
    const ticks = throughputTicks(runs.map(([log, milliseconds]) => perSecond(log, milliseconds)));
    const x = linear(SIZES, [MARGIN.left, width - MARGIN.right]);
    const ends = [ticks[0], ticks.at(-1)].map(Math.log10);
    const height = linear(ends, [HEIGHT - MARGIN.bottom, MARGIN.top]);
    const y = (throughput) => height(Math.log10(throughput));

    const svg = make("svg", {
      width,
      height: HEIGHT,
      viewBox: `0 0 ${width} ${HEIGHT}`,
      role: "img",
    });
    svg.append(make("title", {}, "bases per second against the number of bases"));
    svg.append(...throughputAxis(ticks, y, width), ...sizeAxis(x, width));
    [...this.#series].forEach(([name, sizes], index) =>
      svg.append(...line(name, sizes, index, x, y)),
    );

    const legend = document.createElement("ul");
    legend.className = "legend";
    legend.append(...[...this.#series.keys()].map(legendEntry));
    this.#host.replaceChildren(svg, legend);
  }
}

function sizeAxis(x, width) {
  const step = width < 480 ? 4 : 2;
  const marks = [];
  for (let log = SIZES[0]; log <= SIZES[1]; log += step) {
    marks.push(make("text", { x: x(log), y: HEIGHT - 10, "text-anchor": "middle" }, power(log)));
  }
  return marks;
}

function throughputAxis(ticks, y, width) {
  return ticks.flatMap((tick) => {
    const at = y(tick);
    const text = `${count(tick).replace(/\.0+(?= |$)/, "")}/s`;
    return [
      make("line", { class: "grid", x1: MARGIN.left, x2: width - MARGIN.right, y1: at, y2: at }),
      make("text", { x: MARGIN.left - 10, y: at + 4, "text-anchor": "end" }, text),
    ];
  });
}

function line(name, sizes, index, x, y) {
  const colour = colourOf(index);
  const runs = [...sizes].sort(([a], [b]) => a - b);
  const at = ([log, milliseconds]) => [x(log), y(perSecond(log, milliseconds))];
  const path = make("polyline", {
    class: "line",
    stroke: colour,
    points: runs.map((run) => at(run).join()).join(" "),
  });
  const dots = runs.map((run) => {
    const [cx, cy] = at(run);
    const dot = make("circle", { cx, cy, r: 4, fill: colour });
    dot.append(make("title", {}, `${name}, ${power(run[0])}: ${time(run[1])}`));
    return dot;
  });
  return [path, ...dots];
}

function legendEntry(name, index) {
  const entry = document.createElement("li");
  entry.style.setProperty("--colour", colourOf(index));
  entry.textContent = name;
  return entry;
}

const colourOf = (index) => `var(--series-${index % COLOURS})`;

const perSecond = (log, milliseconds) => (1000 * 2 ** log) / milliseconds;

/** 1, 2 and 5 times powers of ten, just enough to enclose all values. */
function throughputTicks(values) {
  const [least, most] = values.length ? [Math.min(...values), Math.max(...values)] : [1e3, 1e6];
  const steps = most / least > 100 ? [1] : [1, 2, 5];
  const ticks = [];
  let decade = Math.floor(Math.log10(least));
  for (; ticks.length < 2 || ticks.at(-1) < most; decade++) {
    for (const step of steps) {
      const tick = step * 10 ** decade;
      if (tick <= least) ticks.length = 0;
      if (ticks.length < 2 || ticks.at(-1) < most) ticks.push(tick);
    }
  }
  return ticks;
}

function linear([from, to], [start, end]) {
  return (value) => start + ((value - from) / (to - from)) * (end - start);
}

function make(name, attributes, text) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  return element;
}
