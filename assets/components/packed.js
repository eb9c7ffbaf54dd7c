// What Python sends as bytes (`pages/shared/ui/packed.py`): a serial number, how long the first part is, that part, and what
// stands beside it.
function parts(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const until = 12 + view.getUint32(8, true);
  return { serial: view.getFloat64(0, true), kept: bytes.subarray(12, until), beside: bytes.subarray(until) };
}

const same = (a, b) => a?.length === b.length && a.every((byte, i) => byte === b[i]);
const decode = (bytes) => new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
