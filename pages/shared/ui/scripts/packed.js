// What Python sends as bytes (`pages/shared/ui/component_data.py`): a serial number, how long the first part is, that part, and what
// stands beside it. Both are objects; their values together are the data.

// By gzip's first two bytes, which no JSON has.
export const isPacked = (bytes) => bytes[12] === 0x1f && bytes[13] === 0x8b;

// Null where newer data have come meanwhile. `last` remembers the first part, so that the same bytes are the same object.
export async function unpacked(last, bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const serial = view.getFloat64(0, true);
  if (serial <= last.serial) return null; // two repaints may arrive in the wrong order
  last.serial = serial;
  const until = 12 + view.getUint32(8, true);
  const first = bytes.subarray(12, until);
  const isSame = last.first?.length === first.length && last.first.every((byte, i) => byte === first[i]);
  const [kept, beside] = await Promise.all([isSame ? last.kept : decode(first), decode(bytes.subarray(until))]);
  if (serial !== last.serial) return null;
  Object.assign(last, { first, kept });
  return { ...kept, ...beside };
}

const decode = (bytes) => new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
