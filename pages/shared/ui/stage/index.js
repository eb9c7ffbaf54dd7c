// The stage draws a whole beat from one JSON: picture, sentence, ways on. A host feeds it; what the reader does is asked
// of the server beside the host, and told to it afterwards. It stays from lesson to lesson, and each has a picture of its own.

import { html } from "../../../../crf/figures/shared/dom.js";
import { whenData } from "../../../../crf/figures/shared/model.js";
import { post } from "./ask.js";
import { morph, seen } from "./morph.js";
import { calm } from "./opening.js";
import { Plan } from "./plan.js";
import { NOBODY, stageOf } from "./stage_of.js";
// Last: its style changes that of the others.
import { Presenter } from "./present.js";

const [GO, FADES] = ["crf:go", 200]; // the reader has followed a link to another page (scripts/history/links.js); ms
const REACH = "crf:reach"; // a skip link leads to a part of the stage

// A figure for hosts: the stage with these pictures.
export const stageWith = (pictures) => ({
  render({ model, el, signal }) {
    const mount = new Mount(model, el, signal, pictures);
    whenData(model, signal, (data) => mount.load(data));
    document.addEventListener(GO, (event) => mount.go(/** @type {any} */ (event).detail), { signal });
    document.addEventListener(REACH, (event) => mount.stage.reach(/** @type {any} */ (event).detail), { signal });
    addEventListener("popstate", () => mount.stay(), { signal });
  },
});

// The place of the stage in a page, and the lesson that is drawn there.
class Mount {
  el;
  stage;
  place;
  ends;
  left; // the path of the page that the reader has left, until its successor's data come

  constructor(model, el, signal, pictures) {
    Object.assign(this, { el });
    this.make = (kind, place, ends, host = model) => stageOf(kind, pictures, place, host, ends);
    this.presenter = new Presenter(el, signal, (...what) => this.make(...what, NOBODY), new Plan());
    signal.addEventListener("abort", () => this.ends?.abort());
  }

  load(data) {
    if (this.left !== undefined && data.path === this.left) return; // from a run that was under way
    this.left = undefined;
    if (this.stage && this.stage.data.path === data.path) this.stage.load(data);
    else this.draw(data);
  }

  // Another lesson takes the place of the one that is drawn, also while it is presented.
  draw(data) {
    const { place: before, ends } = this;
    const isFirst = !this.stage;
    const was = isFirst ? null : seen(before);
    this.ends = new AbortController();
    this.place = html("div");
    this.stage = this.make(data.view.kind, this.place, this.ends.signal);
    if (isFirst) this.el.replaceChildren(this.place);
    else {
      const hadFocus = before.contains(/** @type {any} */ (before.getRootNode()).activeElement);
      ends.abort();
      this.place.hidden = before.hidden;
      before.replaceWith(this.place);
      this.presenter.change(this.stage, this.place);
      this.place.tabIndex = -1;
      if (hadFocus) this.place.focus({ preventScroll: true });
    }
    this.stage.load(data);
    morph(was, this.place, this.ends.signal);
    if (isFirst) this.presenter.take(this.stage, this.place);
    else this.presenter.loaded();
    if (isFirst) takeAwayTheStill();
  }

  // The next picture is drawn as soon as the server answers, while the host goes to its page.
  async go({ path, draws, query }) {
    const { data } = this.stage;
    const { lesson, beat: door, usual } = draws ?? {};
    const state = query ? Object.fromEntries(new URLSearchParams(query)) : usual;
    if (path === data.path) return this.stage.present(state.beat ?? door, state);
    this.stage.rest();
    const left = (this.left = data.path);
    if (!draws) return;
    const address = data.address.replace(/[^/]*\/[^/]*$/, `${lesson}/${state.beat ?? door}`);
    const { language } = data;
    const asked = post(address, { state, want: "whole", language }).catch(() => [false, {}]);
    const [[ok, { view }]] = await Promise.all([asked, this.stage.toTheRight?.()]);
    if (!ok || this.left !== left || this.stage.data !== data) return; // the host's data have come before
    this.draw({
      ...data,
      path,
      address,
      door,
      view,
      order: Infinity,
      set: {},
      opens: false,
      named: false,
      look: "",
      coming: true,
    });
  }

  // Back or Forward: the host says what is shown.
  stay() {
    this.left = undefined;
  }
}

// What the page has shown until the scripts came (pages/shared/ui/server/first_picture.py) fades over the same picture.
function takeAwayTheStill() {
  const still = /** @type {HTMLElement | null} */ (document.querySelector("[data-first-picture]"));
  if (!still) return;
  still.dataset.firstPicture = "leaves";
  still.animate({ opacity: [1, 0] }, calm() ? 0 : FADES).finished.then(() => still.remove());
}
