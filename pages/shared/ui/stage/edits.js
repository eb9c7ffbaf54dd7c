// Edits of scores in a state: "t:DET:NOUN_2.5~e:1:NOUN_x", the last one made stands last; x is −∞.

const ESCAPES = [
  ["*", "*0"],
  ["~", "*1"],
  [":", "*2"],
  ["_", "*3"],
];
const escaped = (name) => ESCAPES.reduce((text, [plain, code]) => text.replaceAll(plain, code), name);

// The edits with one more: `names` are those of the hook's tags, in the same order.
export function edited(edits, key, value) {
  const kept = edits.split("~").filter((one) => one && one.slice(0, one.lastIndexOf("_")) !== key);
  return [...kept, `${key}_${value === -Infinity ? "x" : value}`].join("~");
}

// The values of controls with one changed: "rate_.5~method_adam"; one without text has its default.
export function withControl(values, name, text) {
  const kept = values.split("~").filter((one) => one && !one.startsWith(`${name}_`));
  return [...kept, ...(text ? [`${name}_${escaped(text)}`] : [])].join("~");
}

// A hook with its tags' names as an address has them; `tags` are all names, for names may hold colons.
export function addressed(hook, tags) {
  const [table, ...parts] = hook.split(":");
  const steps = /^\d+$/.test(parts[0]) && parts.length > (table === "t" ? 2 : 1) ? parts.splice(0, 1) : [];
  const rest = parts.join(":");
  if (table !== "t") return [table, ...steps, escaped(rest)].join(":");
  const from = tags.find((name) => rest.startsWith(`${name}:`) && tags.includes(rest.slice(name.length + 1)));
  return [table, ...steps, escaped(from), escaped(rest.slice(from.length + 1))].join(":");
}
