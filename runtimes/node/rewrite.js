// A cell as a script that leaves its top-level names behind, may be run again, may await and import.
//
// Top-level let and const become var, and a class becomes a variable: they live on as globals and may be declared again. A cell that awaits or imports is put
// into an async function, whose top-level names are declared outside of it. Nothing moves to another line, so that errors tell the right one.
'use strict';

const acorn = require('acorn');

const OPTIONS = {
  ecmaVersion: 'latest',
  sourceType: 'script',
  allowAwaitOutsideFunction: true,
  allowImportExportEverywhere: true,
  allowHashBang: true,
  allowReturnOutsideFunction: false,
};

// The helpers that a rewritten cell calls: one global that user code has no reason to touch.
const HELPERS = '__cove';

function parse(code) {
  const literal = asObjectLiteral(code);
  return { code: literal ?? code, added: literal ? 1 : 0, tree: acorn.parse(literal ?? code, OPTIONS) };
}

// {a: 1} alone in a cell is meant as an object, not as a block with a label.
function asObjectLiteral(code) {
  if (!/^\s*\{[\s\S]*\}\s*$/.test(code)) return null;
  try {
    const wrapped = `(${code.trimEnd()})`;
    acorn.parse(wrapped, OPTIONS);
    return wrapped;
  } catch {
    return null;
  }
}

// {code, names, hasValue, isAsync, offset, lineCount, placeOf}: offset is by how much columns of the first line have moved; placeOf(line, column) is
// where such a place stands in the source, which has lineCount lines.
function rewrite(source) {
  const { code, added, tree } = parse(source);
  const edits = new Edits(code);
  const isAsync = needsAsync(tree);
  const names = new Set();
  for (const statement of tree.body) {
    rewriteStatement(statement, { edits, names, isAsync });
  }
  visitNested(tree, { edits, isAsync, names });
  const last = tree.body.at(-1);
  const hasValue = last?.type === 'ExpressionStatement';
  const placeOf = (line, column) => ({ line, column: edits.columnOf(line, column) - (line === 1 ? added : 0) });
  const found = { names, hasValue, isAsync, lineCount: source.split('\n').length, placeOf };
  if (!isAsync) return { code: edits.apply(), offset: 0, ...found };
  if (hasValue) {
    edits.insert(last.start, 'return {value: (', 1);
    edits.replace(last.end - (code[last.end - 1] === ';' ? 1 : 0), last.end, ')};');
  }
  const declared = names.size ? `var ${[...names].join(', ')}; ` : '';
  const prefix = `${declared}(async () => { `;
  return { code: `${prefix}${edits.apply()}\n})()`, offset: -prefix.length, ...found };
}

function rewriteStatement(statement, cell) {
  const { edits, names, isAsync } = cell;
  switch (statement.type) {
    case 'VariableDeclaration':
      rewriteVariables(statement, cell);
      break;
    case 'ClassDeclaration':
      names.add(statement.id.name);
      edits.insert(statement.start, isAsync ? `${statement.id.name} = ` : `var ${statement.id.name} = `);
      edits.insert(statement.end, ';');
      break;
    case 'FunctionDeclaration':
      names.add(statement.id.name);
      // Hoisted: the name is there before the first statement.
      if (isAsync) edits.insert(0, `globalThis.${statement.id.name} = ${statement.id.name}; `);
      break;
    case 'ImportDeclaration':
      rewriteImport(statement, cell);
      break;
    case 'ExportNamedDeclaration':
      if (statement.declaration) {
        edits.remove(statement.start, statement.declaration.start);
        rewriteStatement(statement.declaration, cell);
      } else {
        edits.remove(statement.start, statement.end);
      }
      break;
    case 'ExportDefaultDeclaration':
      if (statement.declaration.id) {
        edits.remove(statement.start, statement.declaration.start);
        rewriteStatement(statement.declaration, cell);
      } else { // nobody will import it; what it says is done all the same
        edits.replace(statement.start, statement.declaration.start, ';(');
        edits.insert(statement.declaration.end, ')');
      }
      break;
    case 'ExportAllDeclaration':
      edits.replace(statement.start, statement.end, `await ${HELPERS}.import(${statement.source.raw});`);
      break;
  }
}

function rewriteVariables(declaration, { edits, names, isAsync }) {
  for (const declarator of declaration.declarations) collectNames(declarator.id, names);
  if (!isAsync) {
    if (declaration.kind !== 'var') edits.replace(declaration.start, declaration.start + declaration.kind.length, 'var');
    return;
  }
  edits.replace(declaration.start, declaration.start + declaration.kind.length, 'void (');
  for (const declarator of declaration.declarations) {
    edits.insert(declarator.start, '(');
    edits.insert(declarator.end, declarator.init || declaration.kind === 'var' ? ')' : ' = undefined)', -1);
  }
  edits.insert(declaration.declarations.at(-1).end, ');', -2);
}

function rewriteImport(statement, { edits, names }) {
  const imported = `await ${HELPERS}.import(${statement.source.raw}`;
  const pairs = [];
  let namespace = null;
  for (const specifier of statement.specifiers) {
    names.add(specifier.local.name);
    if (specifier.type === 'ImportNamespaceSpecifier') namespace = specifier.local.name;
    else pairs.push([specifier.type === 'ImportDefaultSpecifier' ? 'default' : (specifier.imported.name ?? specifier.imported.value), specifier.local.name]);
  }
  const wanted = JSON.stringify(pairs.map(([name]) => name));
  const pattern = pairs.map(([name, local]) => `${JSON.stringify(name)}: ${local}`).join(', ');
  const lines = '\n'.repeat((edits.code.slice(statement.start, statement.end).match(/\n/g) ?? []).length);
  const assigned = namespace ? `${namespace} = ${imported}, ${wanted})` : `${imported}, ${wanted})`;
  edits.replace(statement.start, statement.end, `${pairs.length ? `({${pattern}} = ${assigned});` : `${assigned};`}${lines}`);
}

// Everything below the top level: import() finds packages as import does, a top-level await can be interrupted, var of a block is a name of the cell.
function visitNested(tree, { edits, isAsync, names }) {
  walk(tree, 0, (node, depth, parent) => {
    if (node.type === 'ImportExpression') edits.replace(node.start, node.start + 'import'.length, `${HELPERS}.import`);
    if (depth > 0 || !isAsync) return;
    if (node.type === 'AwaitExpression') {
      edits.insert(node.argument.start, `${HELPERS}.waited(`, 2);
      edits.insert(node.argument.end, ')', 3);
    }
    if (node.type === 'VariableDeclaration' && node.kind === 'var' && parent.type !== 'Program' && parent.type !== 'ExportNamedDeclaration') {
      hoistNested(node, parent, { edits, names });
    }
  });
}

function hoistNested(declaration, parent, { edits, names }) {
  for (const declarator of declaration.declarations) collectNames(declarator.id, names);
  const isLoopHead = parent.type.startsWith('For') && parent.body !== declaration;
  const isPattern = declaration.declarations.some((declarator) => declarator.id.type === 'ObjectPattern');
  edits.replace(declaration.start, declaration.start + 3, isPattern && !isLoopHead ? ';(' : ' ');
  if (isPattern && !isLoopHead) edits.insert(declaration.declarations.at(-1).end, ')', -2);
}

function needsAsync(tree) {
  let found = tree.body.some((statement) => statement.type === 'ImportDeclaration' || statement.type === 'ExportAllDeclaration');
  walk(tree, 0, (node, depth) => {
    found ||= depth === 0 && (node.type === 'AwaitExpression' || (node.type === 'ForOfStatement' && node.await));
  });
  return found;
}

// Calls visit(node, depth, parent) for every node; depth counts the functions around it.
function walk(node, depth, visit, parent = null) {
  visit(node, depth, parent);
  const isFunction = /Function|^PropertyDefinition$|^StaticBlock$/.test(node.type);
  for (const [key, child] of Object.entries(node)) {
    if (key === 'type') continue;
    for (const inner of Array.isArray(child) ? child : [child]) {
      if (inner && typeof inner.type === 'string') walk(inner, depth + (isFunction ? 1 : 0), visit, node);
    }
  }
}

function collectNames(pattern, names) {
  switch (pattern?.type) {
    case 'Identifier': names.add(pattern.name); break;
    case 'ObjectPattern': pattern.properties.forEach((property) => collectNames(property.value ?? property.argument, names)); break;
    case 'ArrayPattern': pattern.elements.forEach((element) => collectNames(element, names)); break;
    case 'AssignmentPattern': collectNames(pattern.left, names); break;
    case 'RestElement': collectNames(pattern.argument, names); break;
  }
}

// Insertions and replacements by position in the original text. At one position, the higher rank comes first.
function lineStart(text, line) {
  let at = 0;
  for (let n = 1; n < line; n++) at = text.indexOf('\n', at) + 1;
  return at;
}

class Edits {
  constructor(code) {
    this.code = code;
    this.list = [];
  }

  insert(at, text, rank = 0) {
    this.replace(at, at, text, rank);
  }

  remove(start, end) {
    this.replace(start, end, '');
  }

  replace(start, end, text, rank = 0) {
    this.list.push({ start, end, text, rank, order: this.list.length });
  }

  apply() {
    const sorted = [...this.list].sort((a, b) => a.start - b.start || b.rank - a.rank || (a.end - a.start) - (b.end - b.start) || a.order - b.order);
    let result = '';
    let at = 0;
    this.kept = []; // pieces of the code, and where they stand in the result
    const keep = (end) => {
      this.kept.push({ from: at, to: result.length, length: end - at });
      result += this.code.slice(at, end);
    };
    for (const { start, end, text } of sorted) {
      if (start < at) continue; // inside of what has been replaced as a whole
      keep(start);
      result += text;
      at = end;
    }
    keep(this.code.length);
    this.result = result;
    return result;
  }

  // The column, in the code, of a place in the result; lines are the same in both. What was put in stands where it was put.
  columnOf(line, column) {
    const offset = lineStart(this.result, line) + column - 1;
    const { from, to, length } = this.kept.findLast((piece) => piece.to <= offset) ?? this.kept[0];
    return from + Math.max(0, Math.min(offset - to, length)) - lineStart(this.code, line) + 1;
  }
}

module.exports = { rewrite, HELPERS };
