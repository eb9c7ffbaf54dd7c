// What Python sends as bytes (`pages/shared/ui/component_data.py`): a serial number, how long the first part is, that part, and what
// stands beside it. Both are objects; their values together are the data.

// Null where newer data have come meanwhile. `last` remembers a first part that is gzipped: the same bytes are the same object.
export async function unpacked(last, bytes) {
  const serial = serialOf(bytes);
  if (serial <= last.serial) return null; // two repaints may arrive in the wrong order
  last.serial = serial;
  const until = 12 + new DataView(bytes.buffer, bytes.byteOffset).getUint32(8, true);
  const first = bytes.subarray(12, until);
  const isSame = isGzip(first) && last.first?.length === first.length && last.first.every((byte, i) => byte === first[i]);
  const [kept, beside] = await Promise.all([isSame ? last.kept : decode(first), decode(bytes.subarray(until))]);
  if (serial !== last.serial) return null;
  Object.assign(last, { first, kept });
  return { ...kept, ...beside };
}

export const serialOf = (bytes) => new DataView(bytes.buffer, bytes.byteOffset).getFloat64(0, true);

const isGzip = (bytes) => bytes[0] === 0x1f && bytes[1] === 0x8b; // no JSON begins so

function decode(bytes) {
  if (!isGzip(bytes)) return JSON.parse(new TextDecoder().decode(bytes));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
}
