(least) => {
  // What is to happen in so many milliseconds, or more, happens at `pass()`.
  const { setTimeout, clearTimeout } = window;
  const later = new Map();
  let id = 0;
  window.setTimeout = (done, ms) => (ms < least ? setTimeout(done, ms) : later.set((id -= 1), done) && id);
  window.clearTimeout = (id) => later.delete(id) || clearTimeout(id);
  window.pass = () => {
    const due = [...later.values()];
    later.clear();
    due.forEach((done) => done());
  };
};
