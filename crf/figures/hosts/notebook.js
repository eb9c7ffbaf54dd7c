// A figure in a notebook: anywidget's own model, and beside it questions that the kernel answers while a score moves.

export default {
  async render({ model, el, signal }) {
    const { default: figure } = await load(model.get("modules"), model.get("entry"));
    const isDark = document.body.dataset.jpThemeLight === "false" || document.body.classList.contains("vscode-dark");
    el.style.colorScheme = isDark ? "dark" : "light";
    const waiting = new Map(); // number of a question -> what its answer is for
    model.on("msg:custom", ({ question, answer }) => waiting.get(question)?.(answer));
    const ask = (asked) =>
      new Promise((answered) => {
        const question = crypto.randomUUID();
        waiting.set(question, (answer) => answered(answer) || waiting.delete(question));
        model.send({ question, asked });
      });
    const own = Object.fromEntries(
      ["get", "set", "save_changes", "on", "off"].map((name) => [name, model[name].bind(model)]),
    );
    const asking = { ...own, ask };
    figure.render({ model: asking, el: place(el, model.get("sheet"), asking), signal });
  },
};
