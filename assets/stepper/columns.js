// The first step of the next or previous column (the backtrace counts step by step).
function otherColumn(steps, index, direction) {
  const place = (i) => `${steps[i].k} ${steps[i].c}`;
  let i = index;
  if (direction < 0 && i > 0 && place(i - 1) === place(i)) {
    while (i > 0 && place(i - 1) === place(i)) i--;
    return i;
  }
  const here = place(i);
  while (steps[i + direction] && place(i) === here) i += direction;
  while (direction < 0 && i > 0 && place(i - 1) === place(i)) i--;
  return i;
}
