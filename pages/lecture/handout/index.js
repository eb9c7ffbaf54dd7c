// Saves a lecture as one HTML file: each stop's page is opened in a frame out of sight, and its figures are taken from there.

import { fill, filledText } from "../../../crf/figures/shared/dom.js";
import { whenData } from "../../../crf/figures/shared/model.js";
import { download } from "../../../crf/figures/shared/save.js";
import { atRest, escaped, figuresOn, outOfSight, shellOf, zipped } from "../../shared/ui/scripts/file.js";

const SKELETON = `<div class="handout"><button type="button"></button><p role="status"></p></div>`;
const [PATIENCE, SETTLE] = [30000, 1200]; // ms: until a stop's figure is there; and until it stands still
const pause = (ms) => new Promise((go) => setTimeout(go, ms));

export default {
  render({ model, el, signal }) {
    const root = fill(el, SKELETON);
    const [button, status] = root.children;
    whenData(model, signal, ({ words }) => {
      button.textContent = words.save;
      if (!button.disabled) status.textContent = words.about;
    });
    button.onclick = async () => {
      const data = model.get("data");
      button.disabled = true;
      const text = await lecture(data, (k) => (status.textContent = filledText(data.words.stop, { k: k + 1, n: data.stops.length })));
      download(new Blob([text], { type: "text/html" }), data.name);
      status.textContent = data.words.saved;
      button.disabled = false;
    };
  },
};

async function lecture({ title, stops, words }, tell) {
  const page = { modules: {}, styles: {}, figures: [] };
  const sections = [`<h1>${escaped(title)}</h1>`];
  let shell = "";
  for (const [k, stop] of stops.entries()) {
    tell(k);
    if (stop.slide) {
      sections.push(`<section><h2>${escaped(stop.title)}</h2>${stop.slide}<p class="note">${escaped(stop.note)}</p></section>`);
      continue;
    }
    const places = [];
    const frame = outOfSight(stop.href);
    for (const { folder, data } of await figuresIn(frame)) {
      shell = (await shellOf(folder)).file;
      const own = JSON.parse(shell.match(/id="crf-page">(.*)<\/script>/)[1]);
      Object.assign(page.modules, own.modules);
      Object.assign(page.styles, own.styles);
      places.push(`<div data-crf="${page.figures.length}"></div>`);
      page.figures.push({ ...own.figures[0], data: await zipped(data) });
    }
    frame.remove();
    const body = places.join("") || `<p>${escaped(words.none)}</p>`;
    sections.push(`<section><h2>${escaped(stop.title)}</h2>${body}<p class="note">${escaped(stop.note)}</p></section>`);
  }
  if (!shell) shell = (await shellOf("crf/figures/flow")).file;
  const json = JSON.stringify(page).replaceAll("<", "\\u003c");
  return shell
    .replace(/<title>.*<\/title>/, () => `<title>${escaped(title)}</title>`)
    .replace(/<main>[^]*<\/main>/, () => `<main>${sections.join("\n")}</main>`)
    .replace(/id="crf-page">.*<\/script>/, () => `id="crf-page">${json}</script>`);
}

// The figures that a stop's page shows, once it shows any: where each lies, and its data.
async function figuresIn(frame) {
  const until = performance.now() + PATIENCE;
  const shown = () => figuresOn(frame.contentDocument);
  while (!shown().length && performance.now() < until) await pause(200);
  await pause(SETTLE);
  return shown().map(({ crfFigure: { folder, model } }) => ({ folder, data: atRest(model) }));
}
