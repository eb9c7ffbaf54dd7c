// Stripes that fill what is cut: a pattern of an SVG, named `id`, with a stripe every `pitch` px.

import { svg } from "../shared/dom.js";

export function hatching(defs, id, pitch, stroke, width) {
  const size = { width: pitch, height: pitch, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" };
  svg("path", { d: `M0 0V${pitch}`, stroke, "stroke-width": width }, svg("pattern", { id, ...size }, defs));
}
