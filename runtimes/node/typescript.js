// TypeScript as JavaScript: the types are blanked out, by the tool that Node itself uses. Enums and the like need more than that.
'use strict';

const { SourceMap } = require('node:module');

let tool;

// {code, placeOf}: placeOf(line, column) is the place in the source that one in the code comes from.
function strip(source) {
  tool ??= require('amaro');
  try {
    return { code: tool.transformSync(source, { mode: 'strip-only' }).code, placeOf: (line, column) => ({ line, column }) };
  } catch {
    return transform(source);
  }
}

// The code is written anew, so lines move.
function transform(source) {
  try {
    const { code, map } = tool.transformSync(source, { mode: 'transform', sourceMap: true });
    const origins = new SourceMap(JSON.parse(map));
    const { first, rest } = withNamesFirst(code);
    const placeOf = (line, column) => {
      const origin = origins.findEntry(line - 1, column - 1 - (line === 1 ? first.length : 0));
      return { line: (origin.originalLine ?? line - 1) + 1, column: (origin.originalColumn ?? column - 1) + 1 };
    };
    return { code: first + rest, placeOf };
  } catch (problem) {
    throw syntaxError(String(problem?.message ?? problem));
  }
}

// The names of namespaces are declared at the end, where a cell has its value.
function withNamesFirst(code) {
  const [, rest, names] = /^([^]*?\n)((?:var [\w$, ]+;\n)*)$/.exec(code) ?? [null, code, ''];
  return { first: names.replaceAll('\n', ' '), rest };
}

// The tool throws a text: a message, and the lines around the place with a mark below it.
function syntaxError(text) {
  const drawn = text.replace(/\s*Caused by:[^]*$/, '').trim().replace(/^x /, '');
  const place = /\n *(\d+) \| .*\n *: ( *)\^/.exec(drawn);
  if (!place) return new SyntaxError(drawn);
  const message = drawn.slice(0, drawn.indexOf('\n'));
  return Object.assign(new SyntaxError(message), { loc: { line: Number(place[1]), column: place[2].length } });
}

module.exports = { strip };
