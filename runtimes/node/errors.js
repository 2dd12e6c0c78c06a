// An error as text: its message, the line of the cell it comes from, and the frames that are the user's.
'use strict';

const { inspect } = require('node:util');
const path = require('node:path');

const MESSAGE = 1 << 16;
const TRACEBACK = 1 << 18;
const MACHINERY = [path.dirname(__filename) + path.sep, 'node:', 'at <anonymous>', 'at new Promise (<anonymous>)', 'at async Promise.all (index'];
const COLOURS = /\x1b\[[0-9;]*m/g; // of messages that were made for a terminal
const sources = new Map(); // what a cell's name stands for, of the latest cells

// A cell runs as other code than was written: placeOf(line, column) leads back, and lineCount says where the user's part of that code ends.
function remember(name, source, { placeOf, lineCount } = {}) {
  sources.set(name, { lines: source.split('\n'), placeOf, lineCount });
  if (sources.size > 500) sources.delete(sources.keys().next().value);
}

function describe(thrown) {
  try {
    const told = thrown instanceof Error || typeof thrown?.stack === 'string' ? describeError(thrown) : describeOther(thrown);
    return { ...told, traceback: told.traceback.replace(COLOURS, '') };
  } catch {
    return { name: 'Error', value: '<an error that cannot be shown>', traceback: 'Error: <an error that cannot be shown>' };
  }
}

function describeError(error) {
  const name = cut(String(error.name || error.constructor?.name || 'Error'), 200);
  const value = cut(String(error.message ?? ''), MESSAGE);
  const lines = error.position ? [...shownLine(error.position), '', `${name}: ${value}`] : withFrames(error, name, value);
  if (error.cause !== undefined) lines.push(`[cause]: ${describe(error.cause).traceback}`);
  for (const inner of error.errors ?? []) lines.push(`[error]: ${describe(inner).traceback}`);
  return { name, value, traceback: cut(lines.join('\n'), TRACEBACK) };
}

function describeOther(thrown) {
  const value = cut(typeof thrown === 'string' ? thrown : inspect(thrown, { depth: 2 }), MESSAGE);
  return { name: 'Uncaught', value, traceback: `Uncaught ${value}` };
}

function withFrames(error, name, value) {
  const stack = String(error.stack ?? '').slice(-TRACEBACK);
  const frames = stack.split('\n').filter(isOfUser).map(asWritten);
  const place = /(Cell In\[\d+\]):(\d+)/.exec(frames[0] ?? '');
  const shown = place ? [...shownLine({ cell: place[1], line: Number(place[2]) }), ''] : [];
  return [...shown, value ? `${name}: ${value}` : name, ...frames];
}

function isOfUser(line) {
  if (!/^ +at /.test(line) || MACHINERY.some((word) => line.includes(word))) return false;
  const place = /(Cell In\[\d+\]):(\d+)/.exec(line);
  return !place || !(Number(place[2]) > sources.get(place[1])?.lineCount); // beyond its end stands what a rewritten cell ends with
}

function asWritten(frame) {
  return frame.replace(/(Cell In\[\d+\]):(\d+):(\d+)/, (whole, cell, line, column) => {
    const written = sources.get(cell)?.placeOf?.(Number(line), Number(column));
    return written ? `${cell}:${written.line}:${written.column}` : whole;
  });
}

function shownLine({ cell, line, column }) {
  const text = sources.get(cell)?.lines[line - 1];
  if (text === undefined) return [`${cell}:${line}`];
  return [`${cell}:${line}`, cut(text, 500), ...(column === undefined ? [] : [`${' '.repeat(Math.min(column, 500))}^`])];
}

// A parser's error: it knows where.
function syntaxError(problem, cell) {
  const error = new SyntaxError(problem.message.replace(/ \(\d+:\d+\)$/, ''));
  if (problem.loc) error.position = { cell, line: problem.loc.line, column: problem.loc.column };
  return error;
}

function cut(text, limit) {
  return text.length <= limit ? text : `${text.slice(0, limit)}\n… ${text.length - limit} characters are left out`;
}

module.exports = { describe, remember, syntaxError };
