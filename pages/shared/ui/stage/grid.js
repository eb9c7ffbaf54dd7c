// The grid of computed states: λ across, τ down. Between its points the picture is interpolated.

// Where a value lies in a list that rises or falls: the places of its neighbours, and its share of the way between them.
function between(list, value) {
  const sign = Math.sign(list[list.length - 1] - list[0]) || 1;
  const after = list.findIndex((point) => sign * (point - value) >= 0);
  if (after <= 0) return after === 0 ? [0, 0, 0] : [list.length - 1, list.length - 1, 0];
  return [after - 1, after, (value - list[after - 1]) / (list[after] - list[after - 1])];
}

// Probabilities at a place of the pad: of blocks, of ribbons, with the best reading and the state that is nearest.
export function interpolated({ lambdas, taus, scale, blocks, ribbons, paths, says }, lambda, tau) {
  const [left, right, across] = between(lambdas, lambda);
  const [upper, lower, down] = between(taus, tau);
  const corners = [
    [upper, left, (1 - down) * (1 - across)],
    [upper, right, (1 - down) * across],
    [lower, left, down * (1 - across)],
    [lower, right, down * across],
  ]
    .filter(([, , weight]) => weight > 0)
    .map(([row, column, weight]) => ({ state: row * lambdas.length + column, column, weight }));
  const mixed = (table) => {
    const sum = new Array(table[0].length).fill(0);
    for (const { state, weight } of corners)
      for (let i = 0; i < sum.length; i++) sum[i] += (weight / scale) * table[state][i];
    return sum;
  };
  const nearest = corners.reduce((a, b) => (b.weight > a.weight ? b : a));
  return { blocks: mixed(blocks), ribbons: mixed(ribbons), path: paths[nearest.column], sentence: says[nearest.state] };
}
