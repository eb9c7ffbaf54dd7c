// The lesson's picture: the trellis, and what some beats draw in its place.

import { TrellisFigure } from "../../../crf/figures/trellis/figure.js";
import { Growth } from "./growth.js";
import { Pushes } from "./pushes.js";
import { Regroup } from "./regroup.js";

const INSTEAD = { regroup: Regroup, count: Growth, learn: Pushes };

export class TrellisPicture extends TrellisFigure {
  constructor(el, host, signal) {
    super(el, host, signal, INSTEAD);
  }
}
