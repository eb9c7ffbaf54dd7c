// The pictures of the lesson on constraints: the flow with its hatching, two bars, the decoders' readings.

import { ofParts } from "../../shared/ui/stage/parts.js";
import { Bars } from "./bars.js";
import { Flow } from "./flow.js";
import { Readings } from "./readings.js";

export const ConstraintsPicture = ofParts("constraints", {
  broken: Flow,
  breaks: Flow,
  switch: Flow,
  part: Flow,
  train: Bars,
  who: Readings,
});
