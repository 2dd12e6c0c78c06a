// A value as text and, when it is plain data, as data.
'use strict';

const { inspect } = require('node:util');

const TEXT = 1 << 20;
const RICH = 32 << 20;
const MAX_NODES = 10_000;
const MAX_CHARACTERS = 1 << 18;
const CUTTABLE = new Set(['text/plain', 'text/markdown', 'text/latex']);

function describe(value) {
  const own = ownBundle(value);
  if (own) return own;
  const data = { 'text/plain': text(value) };
  if (typeof value === 'object' && value !== null && isPlain(value)) data['application/json'] = value;
  return data;
}

function text(value) {
  try {
    return inspect(value, { depth: 4, maxStringLength: TEXT, breakLength: 100 });
  } catch (problem) {
    return `<a value that cannot be shown: ${String(problem?.message ?? problem)}>`;
  }
}

// {'text/html': …}: types and nothing else.
function isBundle(value) {
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return false;
  const keys = Object.keys(value);
  return keys.length > 0 && keys.every((key) => /^[a-z]+\/[\w.+-]+$/.test(key));
}

// Objects that say how they are shown, as notebooks for JavaScript have it.
function ownBundle(value) {
  if (typeof value?._toMime !== 'function') return null;
  const bundle = value._toMime();
  return isBundle(bundle) ? bundle : null;
}

// Without recursion and with an end: the value may be deep, huge or contain itself.
function isPlain(value) {
  const waiting = [value];
  let nodes = 0;
  let characters = 0;
  while (waiting.length) {
    const item = waiting.pop();
    if (++nodes > MAX_NODES || characters > MAX_CHARACTERS) return false;
    if (item === null || typeof item === 'boolean') continue;
    if (typeof item === 'number') {
      if (!Number.isFinite(item)) return false;
    } else if (typeof item === 'string') {
      characters += item.length;
    } else if (typeof item !== 'object' || !pushMembers(item, waiting)) {
      return false;
    }
  }
  return characters <= MAX_CHARACTERS;
}

function pushMembers(item, waiting) {
  const kind = Object.getPrototypeOf(item);
  if (kind !== Object.prototype && kind !== Array.prototype && kind !== null) return false;
  if (typeof item.toJSON === 'function' || Object.getOwnPropertySymbols(item).length) return false;
  const members = Object.getOwnPropertyDescriptors(item);
  const names = Object.keys(members);
  if (names.length > MAX_NODES) return false;
  for (const name of names) {
    if (kind === Array.prototype && name === 'length') continue;
    if (!('value' in members[name])) return false;
    waiting.push(members[name].value);
  }
  return kind !== Array.prototype || names.length === item.length + 1; // no holes, no extra names
}

// The values that fit; `note` is called with a sentence for each that does not.
function fit(data, note) {
  const result = {};
  for (const [mime, value] of Object.entries(data)) {
    const size = typeof value === 'string' || ArrayBuffer.isView(value) ? (value.byteLength ?? value.length) : 0;
    if (CUTTABLE.has(mime) && size > TEXT) {
      note(`${mime}: cut to ${TEXT} characters`);
      result[mime] = `${value.slice(0, TEXT - 1)}…`;
    } else if (size > RICH) {
      note(`${mime}: left out, its ${size} bytes are more than ${RICH}`);
    } else {
      result[mime] = value;
    }
  }
  return result;
}

module.exports = { describe, fit, isBundle, text, TEXT };
