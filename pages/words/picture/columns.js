// How good, how sure: a column is some sentences, the least sure ones first. Filled is what is right, a bar what was
// promised, a thin line the interval. What stands left of the cut goes to a human.

import { decimal } from "../../../crf/figures/shared/decimal.js";
import { filledText, html, svg } from "../../../crf/figures/shared/dom.js";
import { share, text, writeSwitch } from "./parts.js";

export class Columns {
  root;
  host;
  at;
  rows;
  cut;
  dragging;
  live = true;

  constructor(root, host) {
    Object.assign(this, { root, host });
    this.knob = html(
      "div",
      { class: "knob", role: "slider", tabindex: "0", "aria-valuemin": "0" },
      root.querySelector(".canvas"),
    );
    this.knob.onpointerdown = (event) => {
      this.knob.setPointerCapture(event.pointerId);
      this.dragging = true;
    };
    this.knob.onpointermove = (event) => {
      if (this.dragging) this.move(this.nearest(event.clientX), false);
    };
    this.knob.onpointerup = (event) => this.drop(event);
    this.knob.onpointercancel = (event) => this.drop(event);
    this.knob.onkeydown = (event) => this.key(event);
  }

  drop(event) {
    if (!this.dragging) return;
    this.dragging = false;
    this.move(this.nearest(event.clientX), true);
  }

  nearest(clientX) {
    const { left, each } = this.at;
    const x = clientX - this.root.querySelector("svg").getBoundingClientRect().left;
    return Math.min(Math.max(Math.round((x - left) / each), 0), this.count - 1);
  }

  key(event) {
    const by = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, Home: -this.count, End: this.count }[
      event.key
    ];
    if (!by) return;
    event.preventDefault();
    this.move(Math.min(Math.max(this.cut + by, 0), this.count - 1), true);
  }

  move(cut, resting) {
    if (!this.live || (cut === this.cut && !resting)) return;
    this.cut = cut;
    this.mark();
    this.host.set("cut", Math.round((100 * cut) / this.count), resting);
  }

  get count() {
    return Math.max(0, ...this.picture.rows.map(({ columns }) => columns.length));
  }

  draw(how) {
    const { svg: canvas, picture, now, width, height, k, phone, edge } = how;
    this.picture = picture;
    writeSwitch(this.root, picture, (name) => this.host.set("tagger", name));
    canvas.replaceChildren();
    const [left, right] = phone ? [edge, width - edge] : [edge + 172 * k, width - edge - 114 * k];
    const foot = this.count > 0 ? 44 * k : 8;
    const room = (height - foot - 10) / picture.rows.length;
    this.at = {
      left,
      right,
      each: (right - left) / Math.max(this.count, 1),
      edge,
      k,
      phone,
      width,
      foot: height - foot,
    };
    this.rows = picture.rows.map((row, i) =>
      this.row(canvas, row, 8 + room * i, room - (picture.rows.length > 1 ? 26 * k : 8)),
    );
    this.line = svg("path", { class: "cut" }, canvas);
    this.human = text(canvas, "side human", 0, 0, "");
    this.machine = text(canvas, "side machine", 0, 0, "");
    if (this.count > 0 && !phone)
      text(canvas, "about", right, this.at.foot + 22 * k, picture.said.surest, { "text-anchor": "end" });
    this.knob.hidden = this.count < 1;
    if (!this.dragging) this.cut = now.cut;
    this.mark();
  }

  row(canvas, row, top, room) {
    const { left, each, edge, k, phone } = this.at;
    const group = svg("g", { class: "judged" }, canvas);
    const head = phone ? 26 : 0;
    this.label(group, row, top, edge, k, phone);
    const [y, high] = [top + head, room - head];
    const columns = row.columns.map((column, i) => {
      const part = svg("g", { class: "column" }, group);
      const [x, w] = [left + each * i + each * 0.06, each * 0.88];
      svg("rect", { class: "vessel", x, y, width: w, height: high, rx: Math.min(6, w / 4) }, part);
      svg(
        "rect",
        {
          class: "water",
          x,
          y: y + high * (1 - column.right),
          width: w,
          height: high * column.right,
          rx: Math.min(4, w / 5),
        },
        part,
      );
      const [low, up] = column.between;
      svg("path", { class: "between", d: `M${x + w / 2} ${y + high * (1 - up)}V${y + high * (1 - low)}` }, part);
      svg(
        "path",
        { class: "promise", d: `M${x - each * 0.03} ${y + high * (1 - column.promised)}h${w + each * 0.06}` },
        part,
      );
      svg("title", {}, part, `${share(column.right)} / ${share(column.promised)}`);
      return part;
    });
    if (!columns.length) text(group, "about", left, top + room / 2, this.picture.said["no-columns"]);
    const rest = { big: null, about: [] };
    if (columns.length && phone)
      rest.big = text(group, "rest small", this.at.right, top + 13, "", { "text-anchor": "end" });
    else if (columns.length) {
      rest.big = text(group, "rest", this.at.right + 14 * k, top + room * 0.45, "");
      this.twoLines(group, this.picture.said.rest, this.at.right + 14 * k, top + room * 0.45 + 30 * k, 20 * k);
    }
    return { row, columns, rest, y, high };
  }

  twoLines(group, words, x, y, line) {
    const parts = words.split(" ");
    const half = Math.ceil(parts.length / 2);
    for (const [i, part] of [parts.slice(0, half), parts.slice(half)].entries())
      text(group, "about", x, y + line * i, part.join(" "));
  }

  label(group, row, top, x, k, phone) {
    const { said } = this.picture;
    const told = [said["sentences-right"]];
    if (row.promised !== null) told.push(filledText(said.promised, { n: Math.round(100 * row.promised) }));
    if (row.broken !== null) told.push(filledText(said.broken, { n: row.broken }));
    if (phone) return text(group, "rest small", x, top + 13, `${said[row.name]} ${share(row.right)}`);
    text(group, "name", x, top + 22 * k, said[row.name]);
    text(group, "rest", x, top + 62 * k, share(row.right));
    for (const [i, line] of told.entries()) text(group, "about", x, top + (94 + 21 * i) * k, line);
    if (row.nll !== null && row.broken === null)
      text(group, "about strong", x, top + (94 + 21 * told.length) * k, `NLL ${decimal(row.nll.toFixed(2))}`);
  }

  // The cut, as the reader drags it.
  mark() {
    if (this.count < 1) return;
    const { left, each, foot, k } = this.at;
    const x = left + each * this.cut;
    const said = this.picture.said;
    this.line.setAttribute("d", `M${x} 0V${foot}`);
    Object.assign(this.knob.style, { left: `${x}px`, top: `${foot + 18 * k}px` });
    const n = Math.round((100 * this.cut) / this.count);
    const human = filledText(said.human, { n });
    for (const [key, value] of [
      ["aria-valuemax", this.count - 1],
      ["aria-valuenow", this.cut],
      ["aria-valuetext", human],
    ])
      this.knob.setAttribute(key, String(value));
    this.side(this.human, x - 34 * k, "end", human);
    this.side(this.machine, x + 34 * k, "start", said.machine);
    for (const { row, columns, rest } of this.rows) {
      for (const [i, column] of columns.entries()) column.classList.toggle("given", i < this.cut);
      if (rest.big) rest.big.textContent = share(row.rests[this.cut]) + (this.at.phone ? ` ${said.rest}` : "");
    }
  }

  // Beside the knob, where there is room.
  side(part, x, anchor, words) {
    const { foot, k, width, phone } = this.at;
    part.textContent = words;
    const room = anchor === "end" ? x : width - x;
    part.setAttribute("visibility", room > part.getComputedTextLength() + (phone ? 4 : 30) ? "visible" : "hidden");
    for (const [key, value] of [
      ["x", x],
      ["y", foot + 18 * k],
      ["text-anchor", anchor],
    ])
      part.setAttribute(key, String(value));
  }
}
