// An event as bytes: a header line, JSON, and behind it what is binary.
'use strict';

function encode(event) {
  const binary = [];
  let offset = 0;
  let told = event;
  if (event.data) {
    const data = {};
    for (const [mime, value] of Object.entries(event.data)) {
      if (!ArrayBuffer.isView(value)) {
        data[mime] = value;
        continue;
      }
      const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
      data[mime] = { bytes: [offset, bytes.length] };
      binary.push(bytes);
      offset += bytes.length;
    }
    told = { ...event, data };
  }
  const json = Buffer.from(toJson(told));
  return Buffer.concat([Buffer.from(`${json.length}\n`), json, ...binary]);
}

// JSON whatever is in it: what it has no word for becomes its text.
function toJson(value) {
  try {
    return JSON.stringify(value).toWellFormed();
  } catch {
    return JSON.stringify(value, (_, inner) => (typeof inner === 'bigint' ? String(inner) : inner)).toWellFormed();
  }
}

module.exports = { encode };
