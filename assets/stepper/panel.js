// The words around the drawing: equation, terms, legend and the table behind the figure.

function html(name, attributes = {}, parent = null, text = null) {
  const element = document.createElement(name);
  for (const key in attributes) element.setAttribute(key, attributes[key]);
  if (text !== null) element.textContent = text;
  parent?.append(element);
  return element;
}

const ROLE_CLASS = ["p", "t", "e", "x", "x"]; // previous, transition, emission, start, end
const ROLE_NAME = ["previous", "transition", "emission", "start", "end"];

// An equation is lines of pieces: plain text, the index of a number read, or a symbol
// [class, text, subscript, text].
function writeEquation(host, step, data) {
  host.replaceChildren();
  for (const line of step.eq) {
    const row = html("div", { class: "line" }, host);
    for (const piece of line) {
      if (typeof piece === "string") row.append(piece);
      else if (typeof piece === "number") html("span", { class: `read ${ROLE_CLASS[data.reads[piece][0]]}` }, row, data.reads[piece][1]);
      else {
        const [role, text, subscript, rest] = piece;
        const symbol = html("span", { class: `symbol ${role}` }, row, text);
        if (subscript) html("sub", {}, symbol, subscript);
        if (rest) symbol.append(rest);
      }
    }
  }
  html("p", { class: "note" }, host, step.note || "\u00a0");
}

function writeTerms(table, step, data) {
  const [head, body] = [table.tHead, table.tBodies[0]];
  head.replaceChildren();
  body.replaceChildren();
  const max = data.semiring === "max";
  const roles = step.terms[0].slice(4).map((index) => data.reads[index][0]);
  const top = html("tr", {}, head);
  html("th", { scope: "col" }, top, data.backward ? "to s′" : "from s′");
  const heading = [data.symbol, "T", "e", "start", "end"];
  roles.forEach((role, i) => html("th", { scope: "col", class: ROLE_CLASS[role] }, top, (i ? "+ " : "") + heading[role]));
  html("th", { scope: "col" }, top, "= sum");
  html("th", { scope: "col" }, top, max ? "vs best" : "share");
  for (const [from, sum, aside, bar, ...reads] of step.terms) {
    const wins = max && from === step.back && step.terms.length > 1;
    const row = html("tr", { class: wins ? "wins" : sum === "−∞" ? "never" : "", "data-from": from }, body);
    html("th", { scope: "row" }, row, from < 0 ? (data.backward ? "END" : "START") : data.tags[from]);
    for (const index of reads) html("td", { class: `read ${ROLE_CLASS[data.reads[index][0]]}` }, row, data.reads[index][1]);
    html("td", { class: "sum" }, row, sum);
    const last = html("td", { class: "aside" }, row, wins ? "best" : aside);
    if (!max) last.style.setProperty("--bar", `${bar}%`);
  }
}

// The transition matrix of a small example, so that the entries a step reads can be lit in it.
function writeMatrix(table, data) {
  table.hidden = data.matrix === null;
  if (table.hidden) return;
  const top = html("tr");
  html("td", {}, top);
  for (const tag of data.tags) html("th", { scope: "col" }, top, tag);
  table.tHead.replaceChildren(top);
  table.tBodies[0].replaceChildren(
    ...data.matrix.map((row, from) => {
      const line = html("tr");
      html("th", { scope: "row" }, line, data.tags[from]);
      row.forEach((label, to) => html("td", { "data-read": `transition:${from}:${to}` }, line, label));
      return line;
    }),
  );
}

function lightMatrix(table, reads, winning) {
  for (const cell of table.querySelectorAll("[data-read]")) {
    cell.classList.toggle("lit", reads.includes(cell.dataset.read));
    cell.classList.toggle("won", winning.includes(cell.dataset.read));
  }
}

function writeLegend(host, data, hidden, toggle) {
  host.replaceChildren();
  const scale = html("div", { class: "scale" }, host);
  html("span", { class: "title" }, scale, "Nats behind the column’s best");
  data.bands.forEach((label, band) => {
    const item = html("span", { class: "band" }, scale);
    html("i", { class: `swatch band${band}`, "aria-hidden": "true" }, item);
    item.append(label);
  });
  const never = html("span", { class: "band" }, scale);
  html("i", { class: "swatch band-1", "aria-hidden": "true" }, never);
  never.append("−∞");
  const lines = html("div", { class: "lines" }, host);
  const keys = [["candidate", data.semiring === "max" ? "candidate" : "term, width = share"]];
  if (data.semiring === "max") keys.push(["back", "back-pointer"]);
  if (data.steps.some((step) => step.k === "backtrace")) keys.push(["viterbi", "best path, traced back"]);
  for (const [style, label] of keys) {
    const item = html("span", { class: "key" }, lines);
    sample(item, style);
    item.append(label);
  }
  data.paths.forEach((path, i) => {
    const button = html("button", { type: "button", class: "key", "aria-pressed": !hidden.has(path.name), title: "Show or hide" }, lines);
    sample(button, path.style);
    button.append(path.name);
    button.onclick = () => {
      const on = button.getAttribute("aria-pressed") !== "true";
      button.setAttribute("aria-pressed", on);
      toggle(i, on);
    };
  });
}

function sample(parent, style) {
  const line = svg("svg", { class: "sample", width: 28, height: 12, "aria-hidden": "true" }, parent);
  if (style === "posterior") svg("rect", { x: 3, y: 1.5, width: 22, height: 9, rx: 4.5, class: style }, line);
  else if (style === "viterbi") for (const side of ["outer", "inner"]) svg("path", { d: "M1 6H27", class: `viterbi ${side}` }, line);
  else svg("path", { d: "M1 6H27", class: style }, line);
}

function writeTable(table, data) {
  table.caption.textContent = `${data.title}: ${data.symbol} of every tag at every token`;
  const top = html("tr", {});
  html("th", { scope: "col" }, top, "Tag");
  for (const [index, word] of data.columns) html("th", { scope: "col" }, top, `${index} ${word}`);
  table.tHead.replaceChildren(top);
  table.tBodies[0].replaceChildren(
    ...data.tags.map((tag, row) => {
      const line = html("tr");
      html("th", { scope: "row" }, line, tag);
      for (const column of data.labels) html("td", {}, line, column[row]);
      return line;
    }),
  );
}
