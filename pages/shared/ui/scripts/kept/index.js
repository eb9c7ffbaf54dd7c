// Keeps the text that is its data.

import { keep } from "./keep.js";

export default {
  render({ model, signal }) {
    keep(model, signal, (data) => data);
  },
};
