// The pictures of the lesson on batches.

import { ofParts } from "../../shared/ui/stage/parts.js";
import { Changes } from "./changes.js";
import { Code } from "./code.js";
import { Grid } from "./grid.js";
import { Slabs } from "./slabs.js";
import { Terms } from "./terms.js";

export const BatchesPicture = ofParts("batches", {
  loop: Grid,
  best: Grid,
  same: Changes,
  shapes: Slabs,
  score: Terms,
  bug: Code,
});
