// The picture of the lesson From words to scores: each beat has its own drawing.

import { ofParts } from "../../shared/ui/stage/parts.js";
import { Columns } from "./columns.js";
import { Mistakes } from "./mistakes.js";
import { NetworkDrawing } from "./network.js";
import { Targets } from "./targets.js";
import { TrainingDrawing } from "./training.js";

const SKELETON = `<div class="tools"></div><div class="canvas"><svg role="group"></svg></div>`;

// A drawing on the canvas, with its menus and switches beside the question.
const onCanvas = (Drawing) =>
  class {
    root;
    drawing;

    constructor(root, host) {
      this.root = root;
      this.drawing = new Drawing(root, host);
    }

    show({ beat, heading }, live) {
      this.drawing.live = live;
      this.root.dataset.of = beat;
      this.root.querySelector("svg").setAttribute("aria-label", heading);
    }

    end() {
      this.drawing.end?.();
    }

    get heading() {
      return this.root.closest(".stage")?.querySelector(".heading");
    }

    // Where the lesson's words begin.
    get edge() {
      return this.heading ? parseFloat(getComputedStyle(this.heading).paddingLeft) : 40;
    }

    // Menus and switches stand beside the question, where there is room.
    placeTools() {
      const tools = this.root.querySelector(".tools");
      const high = this.heading?.offsetHeight ?? 62;
      tools.style.top = this.root.clientWidth < 760 ? "" : `${-(high + Math.max(tools.offsetHeight, 24)) / 2}px`;
    }

    draw(picture, size, { moves, veils }) {
      const { width, height, least } = size;
      if (width < 60 || height < 60) return;
      const svg = this.root.querySelector("svg");
      this.placeTools();
      this.root.classList.toggle("presented", least > 0);
      svg.setAttribute("width", String(width));
      svg.setAttribute("height", String(height));
      this.drawing.draw({ ...size, svg, picture, now: picture.now, veils, moves, edge: this.edge });
    }
  };
const Network = onCanvas(NetworkDrawing);

export const WordsPicture = ofParts(
  "words",
  {
    network: Network,
    replace: Network,
    train: onCanvas(TrainingDrawing),
    batches: onCanvas(Targets),
    good: onCanvas(Columns),
    errs: onCanvas(Mistakes),
  },
  { root: "words-figure", skeleton: SKELETON, room: ".canvas", high: 400, scale: [0.8, 1.8], phone: undefined },
);
