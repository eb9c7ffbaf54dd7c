// A figure as one HTML file: the server has the file without its data, which are filled in here.

import { element } from "../../../../crf/figures/shared/dom.js";
import { download } from "../../../../crf/figures/shared/save.js";

const SHELLS = new URL("../../../../shell/", import.meta.url);

export async function saveWhole({ way, root }, folder, model) {
  const { file, embed } = await shellOf(folder);
  const title = root.getAttribute("aria-label") ?? document.title;
  const name = `${root.dataset.figure}.html`;
  if (way === "embed") return navigator.clipboard.writeText(filled(embed, { title: escaped(title), address: name }));
  const text = filled(file, { title: escaped(title), data: await zipped(atRest(model)) });
  return download(new Blob([text], { type: "text/html" }), name);
}

export async function shellOf(folder) {
  return (await fetch(SHELLS.href + folder, { mode: "same-origin" })).json();
}

// The figures that a document shows: elements with `crfFigure`, which says where each lies and has its model.
export function figuresOn(document) {
  return [...figureElements(document?.body)].filter((el) => el.crfFigure && el.querySelector("[data-figure]")?.checkVisibility());
}

function* figureElements(root) {
  for (const el of root?.querySelectorAll("*") ?? []) {
    if (el.classList.contains("crf-figure")) yield el;
    if (el.shadowRoot) yield* figureElements(el.shadowRoot);
  }
}

// A page of the app in a frame that nobody sees, for what it draws.
export function outOfSight(src) {
  const frame = element("iframe", { src, tabIndex: -1, ariaHidden: "true" });
  Object.assign(frame.style, { position: "fixed", left: "-3000px", width: "1280px", height: "720px" });
  document.body.append(frame);
  return frame;
}

// The data without what only Python answers, at the step that the reader sees.
export function atRest(model) {
  const { beside, ...data } = model.get("data");
  const step = model.get("at")?.[0] ?? beside?.step;
  return { ...data, clickable: false, readOnly: true, ...(beside && { beside: { step, sent: 0 } }) };
}

export async function zipped(data) {
  const stream = new Blob([JSON.stringify(data)]).stream().pipeThrough(new CompressionStream("gzip"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}

export async function unzipped(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
}

export const escaped = (text) => text.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);
const filled = (text, holes) => text.replace(/§(\w+)§/g, (_, hole) => holes[hole]);
