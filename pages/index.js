// What the stage's hosts load: the stage with the picture of each lesson.

import { PICTURES } from "./pictures.js";
import { stageWith } from "./shared/ui/stage/index.js";

export default stageWith(PICTURES);
