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
    return wellFormed(JSON.stringify(value));
  } catch {
    return wellFormed(JSON.stringify(value, (_, inner) => (typeof inner === 'bigint' ? String(inner) : inner)));
  }
}

// Half a surrogate pair, which stringify writes as an escape, is no text to other languages' parsers.
function wellFormed(json) {
  return json.includes('\\ud') ? json.replace(/(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g, '$1\ufffd') : json;
}

module.exports = { encode };
