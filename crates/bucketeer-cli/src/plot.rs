//! Time against size or number of ranks, both logarithmic, as an SVG drawing.

use std::fmt::Write;

/// One line of the plot: (size, seconds).
pub struct Series {
    pub name: String,
    pub points: Vec<(f64, f64)>,
}

const WIDTH: f64 = 860.0;
const HEIGHT: f64 = 540.0;
const LEFT: f64 = 84.0;
const RIGHT: f64 = 200.0;
const TOP: f64 = 72.0;
const BOTTOM: f64 = 64.0;

/// Ten colours that stay apart in the common forms of colour blindness (after Okabe and Ito).
const COLOURS: [&str; 10] = [
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#8c6d31",
    "#7b4173", "#7f7f7f",
];

const STYLE: &str = "text{font-family:Helvetica,Arial,sans-serif;fill:#222}\
    .title{font-size:18px;font-weight:bold}.small{font-size:12px}.label{font-size:14px}\
    .grid{stroke:#e3e3e3}.minor{stroke:#f3f3f3}.axis{stroke:#444;stroke-width:1.2}";

/// The ranges of both axes, in logarithms: base 2 for sizes, base 10 for seconds.
struct Axes {
    x: (f64, f64),
    y: (f64, f64),
}

impl Axes {
    fn around(points: &[(f64, f64)]) -> Self {
        let range = |values: &dyn Fn(&(f64, f64)) -> f64, empty: (f64, f64)| {
            let all = || points.iter().map(values);
            let (low, high) = (all().fold(f64::MAX, f64::min), all().fold(f64::MIN, f64::max));
            if low > high { empty } else { (low.floor(), high.ceil().max(low.floor() + 1.0)) }
        };
        Self {
            x: range(&|point| point.0.log2(), (0.0, 1.0)),
            y: range(&|point| point.1.log10(), (-3.0, 0.0)),
        }
    }

    fn x(&self, log: f64) -> f64 {
        LEFT + (log - self.x.0) / (self.x.1 - self.x.0) * (WIDTH - LEFT - RIGHT)
    }

    fn y(&self, log: f64) -> f64 {
        HEIGHT - BOTTOM - (log - self.y.0) / (self.y.1 - self.y.0) * (HEIGHT - TOP - BOTTOM)
    }
}

/// The drawing; `across` is what the horizontal axis counts. Sizes and times that have no logarithm
/// are left out.
pub fn svg(title: &str, subtitle: &str, across: &str, series: &[Series]) -> String {
    let drawable = |series: &Series| -> Vec<(f64, f64)> {
        series.points.iter().copied().filter(|(n, s)| *n > 0.0 && *s > 0.0).collect()
    };
    let lines: Vec<(&str, Vec<(f64, f64)>)> =
        series.iter().map(|series| (series.name.as_str(), drawable(series))).collect();
    let all: Vec<(f64, f64)> = lines.iter().flat_map(|(_, points)| points.clone()).collect();
    let axes = Axes::around(&all);
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = write!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
         width=\"{WIDTH}\" height=\"{HEIGHT}\">\n<style>{STYLE}</style>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
    );
    text(&mut out, (LEFT, 30.0), "title", "start", title);
    text(&mut out, (LEFT, 50.0), "small", "start", subtitle);
    grid(&mut out, &axes, across);
    for (index, (name, points)) in lines.iter().enumerate() {
        curve(&mut out, &axes, COLOURS[index % COLOURS.len()], points);
        legend(&mut out, index, name);
    }
    out + "</svg>\n"
}

fn grid(out: &mut String, axes: &Axes, across: &str) {
    let (left, right) = (axes.x(axes.x.0), axes.x(axes.x.1));
    let (bottom, top) = (axes.y(axes.y.0), axes.y(axes.y.1));
    // At most about twelve labels along the sizes.
    let step = ((axes.x.1 - axes.x.0) / 12.0).ceil().max(1.0);
    let mut exponent = axes.x.0;
    while exponent <= axes.x.1 {
        let x = axes.x(exponent);
        line(out, "grid", (x, bottom), (x, top));
        let label = format!("2<tspan dy=\"-5\" font-size=\"9\">{exponent}</tspan>");
        raw_text(out, (x, bottom + 20.0), "small", "middle", &label);
        exponent += step;
    }
    let mut decade = axes.y.0;
    while decade <= axes.y.1 {
        line(out, "grid", (left, axes.y(decade)), (right, axes.y(decade)));
        text(out, (left - 8.0, axes.y(decade) + 4.0), "small", "end", &decade_label(decade));
        for minor in [2.0f64, 5.0] {
            let log = decade + minor.log10();
            if log < axes.y.1 {
                line(out, "minor", (left, axes.y(log)), (right, axes.y(log)));
            }
        }
        decade += 1.0;
    }
    line(out, "axis", (left, bottom), (right, bottom));
    line(out, "axis", (left, bottom), (left, top));
    text(out, ((left + right) / 2.0, HEIGHT - 18.0), "label", "middle", across);
    let middle = (top + bottom) / 2.0;
    let _ = writeln!(
        out,
        "<text class=\"label\" text-anchor=\"middle\" transform=\"translate(22 {middle}) \
         rotate(-90)\">time</text>"
    );
}

/// A power of ten seconds in the unit people use for it.
fn decade_label(decade: f64) -> String {
    let exponent = decade as i32;
    let (unit, base) = match exponent {
        i32::MIN..=-7 => ("ns", -9),
        -6..=-4 => ("µs", -6),
        -3..=-1 => ("ms", -3),
        _ => ("s", 0),
    };
    format!("{} {unit}", 10f64.powi(exponent - base))
}

fn curve(out: &mut String, axes: &Axes, colour: &str, points: &[(f64, f64)]) {
    let place = |(n, seconds): &(f64, f64)| (axes.x(n.log2()), axes.y(seconds.log10()));
    let mut places: Vec<(f64, f64)> = points.iter().map(place).collect();
    places.sort_by(|a, b| a.0.total_cmp(&b.0));
    let path: Vec<String> = places.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
    let _ = writeln!(
        out,
        "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\" \
         stroke-linejoin=\"round\"/>",
        path.join(" ")
    );
    for (x, y) in places {
        dot(out, (x, y), colour);
    }
}

fn legend(out: &mut String, index: usize, name: &str) {
    let (x, y) = (WIDTH - RIGHT + 24.0, TOP + 10.0 + 22.0 * index as f64);
    dot(out, (x, y), COLOURS[index % COLOURS.len()]);
    text(out, (x + 12.0, y + 4.0), "small", "start", name);
}

fn dot(out: &mut String, (x, y): (f64, f64), colour: &str) {
    let _ = writeln!(out, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\" fill=\"{colour}\"/>");
}

fn line(out: &mut String, class: &str, (x1, y1): (f64, f64), (x2, y2): (f64, f64)) {
    let _ = writeln!(
        out,
        "<line class=\"{class}\" x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\"/>"
    );
}

fn text(out: &mut String, at: (f64, f64), class: &str, anchor: &str, content: &str) {
    let escaped = content.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    raw_text(out, at, class, anchor, &escaped);
}

fn raw_text(out: &mut String, (x, y): (f64, f64), class: &str, anchor: &str, markup: &str) {
    let _ = writeln!(
        out,
        "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{markup}</text>"
    );
}
