// A sentence while it is typed, and the words of it that have been read.

const WORDS = /\S+/gu;

// The words of a text with their places: first and last ones as the tagger has read them, `token`, between them those that
// it has not, at -1. A word that has grown since is not read.
export function pieces(text, tokens) {
  const firsts = matched(text, tokens, (rest, token) => rest.startsWith(token), 1);
  const lasts = matched(
    text.slice(firsts.at(-1)?.end ?? 0),
    tokens.slice(firsts.length),
    (rest, token) => rest.endsWith(token),
    -1,
  );
  const from = firsts.at(-1)?.end ?? 0;
  for (const piece of lasts)
    Object.assign(piece, { start: piece.start + from, end: piece.end + from, token: piece.token + firsts.length });
  const to = lasts[0]?.start ?? text.length;
  const between = [...text.slice(from, to).matchAll(WORDS)].map(({ 0: word, index }) => ({
    text: word,
    token: -1,
    start: from + index,
    end: from + index + word.length,
  }));
  return [...firsts, ...between, ...lasts];
}

// As many tokens as stand at one end of a text; the last of them must end where a word ends.
function matched(text, tokens, stands, sign) {
  const found = [];
  let [left, right] = [0, text.length];
  for (let k = 0; k < tokens.length; k++) {
    const token = sign > 0 ? k : tokens.length - 1 - k;
    const rest = text.slice(left, right);
    const trimmed = sign > 0 ? rest.trimStart() : rest.trimEnd();
    if (!trimmed || !stands(trimmed, tokens[token])) break;
    const { length } = tokens[token];
    if (sign > 0) left = right - trimmed.length + length;
    else right = left + trimmed.length - length;
    found.push({
      text: tokens[token],
      token,
      start: sign > 0 ? left - length : right,
      end: sign > 0 ? left : right + length,
    });
  }
  while (found.length && !ends(text, found.at(-1), sign)) found.pop();
  return sign > 0 ? found : found.reverse();
}

const ends = (text, { start, end }, sign) => !/\S/u.test((sign > 0 ? text[end] : text[start - 1]) ?? "");

// What of a text is read while it is typed: all but a word at the caret that no blank has ended.
export function closed(text, caret) {
  const start = text.search(/\S*$/u);
  return (caret > start ? text.slice(0, start) : text).trim();
}
