// What the colours and lines mean.

import { html, svg } from "../shared/dom.js";

export function writeLegend(host, data) {
  host.replaceChildren();
  const scale = html("div", { class: "scale" }, host);
  html("span", { class: "title" }, scale, data.scale);
  data.bands.forEach((label, band) => swatch(scale, band, label));
  swatch(scale, -1, data.zero);
  const lines = html("div", { class: "lines" }, host);
  for (const [style, label, about = ""] of keys(data)) {
    const item = html(
      "span",
      { class: `key of-${style}`, ...(about && { title: about }), ...(style === "way" && { "data-export": "no" }) },
      lines,
    );
    sample(item, style);
    item.append(label);
  }
}

function keys(data) {
  const { words } = data;
  const max = data.semiring === "max";
  const found = [["candidate", max ? words.candidate : words.term]];
  if (max) found.push(["wins", words.wins], ["back", words.back]);
  if (data.steps.some((step) => step.ties)) found.push(["tied", words.tie]);
  if (data.best) found.push(["way", data.flips.length ? words.way_at_flips : words.way]);
  if (data.flips.length) found.push(["abandoned", words.abandoned, words.abandoned_about]);
  if (data.steps.some((step) => step.kind === "backtrace")) found.push(["viterbi", words.viterbi]);
  return found;
}

function swatch(parent, band, label) {
  const item = html("span", { class: "band" }, parent);
  html("i", { class: `swatch band${band}`, "aria-hidden": "true" }, item);
  item.append(label);
}

function sample(parent, style) {
  const line = svg("svg", { class: "sample", width: 28, height: 12, "aria-hidden": "true" }, parent);
  if (style === "viterbi")
    for (const side of ["outer", "inner"]) svg("path", { d: "M1 6H27", class: `viterbi ${side}` }, line);
  else if (style === "tied")
    for (const kind of ["wins tied", "between"]) svg("path", { d: "M1 6H27", class: kind }, line);
  else svg("path", { d: "M1 6H27", class: style }, line);
}
