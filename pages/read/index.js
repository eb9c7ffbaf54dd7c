// The article's figures: each still gives way to a beat's stage, drawn when the reader comes near. A key goes to one
// figure: to the one that has the focus, else the one under the pointer, else the one nearest the window's middle.

import { html } from "../../crf/figures/shared/dom.js";
import { PICTURES } from "../pictures.js";
import { answered } from "../shared/ui/stage/answers.js";
import { post } from "../shared/ui/stage/ask.js";
import { NOBODY, stageOf } from "../shared/ui/stage/stage_of.js";

const NEAR = "800px"; // from the window, until a figure is drawn
const TRIES = 6; // a server that has just started takes longer than a question waits
const ARROWS = ["ArrowLeft", "ArrowRight"]; // other keys scroll the page, but in a figure that has the focus

// `page`: { style, host, figures: name → { lesson, beat, state }, story or draws }
export function animate(page) {
  const places = [...document.querySelectorAll("figure[data-name]")];
  for (const hint of document.querySelectorAll(".with-script")) hint.removeAttribute("hidden");
  const watch = new IntersectionObserver(
    (seen) => {
      for (const { isIntersecting, target } of seen) {
        if (!isIntersecting) continue;
        watch.unobserve(target);
        draw(target, page, (event) => chosen(places, event) === target);
      }
    },
    { rootMargin: NEAR },
  );
  places.forEach((place) => watch.observe(place));
}

async function draw(place, page, isChosen) {
  const { lesson, beat, state, choices, paths } = page.figures[place.dataset.name];
  const language = document.documentElement.lang;
  const address = page.draws ? `${page.draws}${lesson}/${beat}` : "";
  const view = await first({ ...page, address, language }, { lesson, beat, state, want: "whole" });
  if (!view) return; // the still stays
  const live = place.querySelector(".live");
  live.hidden = false;
  const stage = stageOf(view.kind, PICTURES, within(live, page.style), NOBODY, new AbortController().signal);
  stage.takes = (event) => isChosen(event) && (ARROWS.includes(event.key) || event.composedPath().includes(place));
  const common = { language, host: page.host, order: 0, set: {}, labels: {}, links: {}, door: beat, opens: false };
  const heading = place.querySelector(".still svg").getAttribute("aria-label");
  stage.load({ ...common, heading, address, paths, story: page.story, view });
  if (choices.length) live.after(chooser(stage, choices));
  place.classList.add("drawn");
}

// Values of the figure's own control, as buttons.
function chooser(stage, choices) {
  const group = html("div", { class: "choices", role: "group" });
  const buttons = choices.map(({ label }) => html("button", { type: "button" }, group, label));
  const press = (chosen) => buttons.forEach((button, k) => button.setAttribute("aria-pressed", String(k === chosen)));
  for (const [k, { beat, state }] of choices.entries())
    buttons[k].onclick = () => {
      press(k);
      stage.present(beat, state);
    };
  press(0);
  return group;
}

async function first({ story, address, language }, asked) {
  if (story) return answered(story, asked)?.view;
  for (let tries = 0; tries < TRIES; tries++) {
    const [ok, answer] = await post(address, { ...asked, language }).catch(() => [false, {}]);
    if (ok) return answer.view;
  }
  return null;
}

// A place that no style of the page reaches, with a style of its own.
function within(el, css) {
  const shadow = el.attachShadow({ mode: "open" });
  html("style", {}, shadow, css);
  return html("div", { class: "crf-figure alone" }, shadow);
}

// The figure that a key is for.
function chosen(places, event) {
  const focused = places.find((place) => event.composedPath().includes(place));
  return focused ?? places.find((place) => place.matches(":hover")) ?? nearest(places);
}

function nearest(places) {
  const seen = places
    .map((place) => ({ place, box: place.getBoundingClientRect() }))
    .filter(({ box }) => box.bottom > 0 && box.top < innerHeight)
    .map(({ place, box }) => ({ place, off: Math.abs((box.top + box.bottom - innerHeight) / 2) }));
  return seen.sort((one, other) => one.off - other.off)[0]?.place;
}
