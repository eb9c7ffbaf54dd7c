// From one reading of the same words to another: both on the blocks that either has.

// `before`, `after`: { shown, values } with the tags that have blocks, and the numbers of blocks and ribbons. Returns the
// tags of both, and the numbers at a share of the way.
export function between(before, after) {
  const shown = after.shown.map((own, t) => [...before.shown[t].filter((tag) => !own.includes(tag)), ...own]);
  const [from, to] = [before, after].map((one) => spread(one, shown));
  const mix = (share, name) => to[name].map((p, i) => share * p + (1 - share) * from[name][i]);
  return { shown, at: (share) => ({ blocks: mix(share, "blocks"), ribbons: mix(share, "ribbons") }) };
}

// Numbers for more tags than they are for; the others have none.
function spread({ shown, values }, wide) {
  let [b, r] = [0, 0];
  const blocks = wide.flatMap((own, t) => {
    const places = shown[t].map((tag) => own.indexOf(tag));
    const column = Array(own.length).fill(0);
    for (const place of places) column[place] = values.blocks[b++];
    return column;
  });
  const ribbons = wide.slice(1).flatMap((own, t) => {
    const table = Array(wide[t].length * own.length).fill(0);
    for (const from of shown[t])
      for (const to of shown[t + 1]) table[wide[t].indexOf(from) * own.length + own.indexOf(to)] = values.ribbons[r++];
    return table;
  });
  return { blocks, ribbons };
}
