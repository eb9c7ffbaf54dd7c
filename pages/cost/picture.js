// The pictures of the lesson on cost: what joining pieces of trellis saves, what ways to compute cost, what was measured.

import { ofParts } from "../shared/ui/stage/parts.js";
import { Amounts } from "./amounts.js";
import { JoinedTrees } from "./joined_trees.js";
import { Ratios } from "./ratios.js";
import { Trick } from "./trick.js";

export const CostPicture = ofParts("cost", { trick: Trick, trees: JoinedTrees, depth: Amounts, measured: Ratios });
