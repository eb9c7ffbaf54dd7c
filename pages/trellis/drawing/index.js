// The lesson's picture: the trellis, and what some beats draw in its place.

import { TrellisFigure } from "../../../crf/figures/trellis/stage/index.js";
import { Growth } from "./growth.js";
import { Pushes } from "./pushes.js";
import { Questions } from "./questions.js";
import { Regroup } from "./regroup.js";

const INSTEAD = { regroup: Regroup, count: Growth, learn: Pushes, questions: Questions };

export class TrellisPicture extends TrellisFigure {
  constructor(el, host, signal) {
    super(el, host, signal, INSTEAD);
  }
}
