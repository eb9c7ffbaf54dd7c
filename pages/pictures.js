// The picture of each lesson: a class with `constructor(el, host, signal)`, `show(view, live)` and
// `showNow(now, moves, veils)`; `host` is what `actions` of shared/ui/stage/lesson.js returns. A style sheet beside a module has
// its name; beside an index.js it is style.css.

import { TrellisPicture } from "./trellis/drawing/index.js";
import { LearningPicture } from "./learning/picture.js";
import { WordsPicture } from "./words/picture/index.js";
import { ImplementPicture } from "./implement/picture.js";
import { StabilityPicture } from "./stability/picture.js";
import { BatchesPicture } from "./batches/drawing/index.js";
import { ConstraintsPicture } from "./constraints/drawing/index.js";
import { CostPicture } from "./cost/picture.js";
import { GraphsPicture } from "./graphs/picture.js";
import { NowPicture } from "./now/picture.js";

export const PICTURES = {
  trellis: TrellisPicture,
  learning: LearningPicture,
  words: WordsPicture,
  implement: ImplementPicture,
  stability: StabilityPicture,
  batches: BatchesPicture,
  constraints: ConstraintsPicture,
  cost: CostPicture,
  graphs: GraphsPicture,
  now: NowPicture,
};
