// TypeScript as JavaScript: the types are blanked out, by the tool that Node itself uses. Enums and the like need more than that.
'use strict';

let tool;

function strip(code) {
  tool ??= require('amaro');
  try {
    return tool.transformSync(code, { mode: 'strip-only' }).code;
  } catch {
    return transform(code);
  }
}

function transform(code) {
  try {
    return tool.transformSync(code, { mode: 'transform' }).code;
  } catch (problem) { // a text with the place drawn into it
    throw new SyntaxError(String(problem?.message ?? problem).replace(/\s*Caused by:[^]*$/, '').trim());
  }
}

module.exports = { strip };
