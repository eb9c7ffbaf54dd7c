// Labels in blocks: what fits is written, in this order: "NOUN .67" on one line; on two lines; the tag alone; turned by
// 90°; nothing.
import { decimal } from "../shared/decimal.js";

const [LINE, LINES] = [1.1, 2.3]; // room for one line and for two, in sizes of letters
const [LARGEST, SMALLEST, TURNED] = [20, 13, 19]; // px
const EDGE = 4; // px between a block's edge and its label
const REFERENCE = 20; // px: the size at which letters are measured, because in some fonts small letters are wider
// The theme's letters, where no picture's root is at hand.
export const SANS = '"Course Sans", "Source Sans 3", "Segoe UI", Helvetica, Arial, "DejaVu Sans", sans-serif';
const pen = document.createElement("canvas").getContext("2d");
const widths = new Map();
let spacing = 0; // between letters, relative to their size

// The width of a text at a size of 1 px.
export function widthOf(text, weight, family) {
  const key = `${weight} ${family} ${text}`;
  if (!widths.has(key)) {
    pen.font = `${weight} ${REFERENCE}px ${family}`;
    Object.assign(pen, { letterSpacing: `${REFERENCE * spacing}px` }); // newer than the types
    widths.set(key, pen.measureText(text).width / REFERENCE);
  }
  return widths.get(key);
}

// Forget all widths: fonts have come. `place`: whose spacing of letters, which a reader may have set, the pictures take over.
export function measureAnew(place = undefined) {
  widths.clear();
  if (!place) return;
  const { letterSpacing, fontSize } = getComputedStyle(place);
  spacing = parseFloat(letterSpacing) / parseFloat(fontSize) || 0;
}

// The letters of all labels of a picture: one size, and whether they are turned. `sizes`: px at least, else they are, and at
// most.
export function lettering(tags, width, family, sizes = [SMALLEST, Math.max(LARGEST, width / 5.8)]) {
  const [least, most] = sizes;
  const widest = Math.max(...tags.map((tag) => widthOf(tag, 650, family)), 1);
  const size = Math.min(most, (width - 2 * EDGE) / widest);
  return size >= least
    ? { size, turned: false, family }
    : { size: Math.min(TURNED, width / 1.4), turned: true, family };
}

// A block's number, if it says more than its height: a probability, or a signed difference.
export function numberOf(p, isSigned = false) {
  const size = Math.abs(p);
  if (size < 0.005 || (!isSigned && size >= 0.995)) return "";
  return `${isSigned ? (p > 0 ? "+" : "−") : ""}${decimal(size.toFixed(2).replace(/^0/, ""))}`;
}

// The lines of a block's label; none if nothing fits.
export function label(tag, number, width, height, { size, turned, family }) {
  const whole = number ? `${tag} ${number}` : tag;
  const [along, across] = turned ? [height, width] : [width, height];
  const fits = (text, lines) =>
    widthOf(text, 650, family) * size <= along - 2 * EDGE + 0.1 && (lines === 1 ? LINE : LINES) * size <= across;
  if (fits(whole, 1)) return [whole];
  if (!turned && number && fits(tag, 2) && fits(number, 2)) return [tag, number];
  return fits(tag, 1) ? [tag] : [];
}

// Letters on a block: white, on pale colours dark; 4.5 : 1 on all that `tag_colours` gives, and on their paler kinds.
export function inkOn(colour) {
  const [red, green, blue] = colour.split(",").map(Number);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 140 ? "#14181f" : "#fff";
}
