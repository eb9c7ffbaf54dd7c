// The tables of scores on a page without a trellis.

const editors = new WeakMap(); // parentElement -> Editor, so that a rerun keeps focus, drafts and queue

export default function ({ data, parentElement, setStateValue }) {
  const editor = editors.get(parentElement) ?? new Editor(parentElement.querySelector(".editor"));
  editors.set(parentElement, editor);
  editor.send = (value) => setStateValue("edits", value);
  document.addEventListener("crf:light", editor.hear); // adding it again changes nothing
  editor.tables.load(data);
  return () => document.removeEventListener("crf:light", editor.hear);
}

// What is pointed at here lights its counterparts elsewhere on the page, and the other way round.
class Editor {
  constructor(root) {
    this.root = root;
    this.tables = new ScoreTables(root, this);
    this.hear = ({ detail }) => {
      if (Array.isArray(detail?.reads) && detail.source !== this.tables.data?.source) this.tables.lit(detail.reads);
    };
  }

  light(reads) {
    const detail = { source: this.tables.data.source, reads };
    this.root.dispatchEvent(new CustomEvent("crf:light", { bubbles: true, composed: true, detail }));
  }
}
