// What a cell finds beside the language: require, import, display, process.exit, Node's modules by their names.
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { builtinModules, createRequire } = require('node:module');
const { pathToFileURL } = require('node:url');
const values = require('./values.js');
const { HELPERS } = require('./rewrite.js');

function install(execution) {
  globalThis.require = makeRequire();
  globalThis.module = { exports: {} };
  globalThis.exports = globalThis.module.exports;
  globalThis.display = (value) => {
    execution.show('display', values.isBundle(value) ? value : values.describe(value), { display_id: null });
  };
  process.exit = (code) => execution.exit(code);
  Object.defineProperty(globalThis, HELPERS, { value: Object.freeze({ import: importModule, waited: execution.waited }) });
  nameModules();
}

// As in Node's own prompt: `fs` is there without a word, until a cell declares one of its own.
function nameModules() {
  for (const name of builtinModules.filter((word) => !word.startsWith('_') && !word.includes('/') && !(word in globalThis))) {
    Object.defineProperty(globalThis, name, {
      configurable: true,
      get: () => require(`node:${name}`),
      set: (value) => Object.defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: true }),
    });
  }
}

// Resolves from the working directory as it is now, then from where `npm install -g` puts things.
function makeRequire() {
  const here = () => createRequire(path.join(process.cwd(), 'cell.js'));
  const resolve = (name, options) => {
    try {
      return here().resolve(name, options);
    } catch (problem) {
      if (problem.code !== 'MODULE_NOT_FOUND' || options || !isBare(name)) throw problem;
      return found(name) ?? raise(problem);
    }
  };
  const require = (name) => here()(resolve(name));
  const original = here();
  return Object.assign(require, { resolve, cache: original.cache, extensions: original.extensions, main: undefined });
}

const versions = new Map(); // when a file was changed, as of its first import

async function importModule(name, wanted = []) {
  const module = await import(locate(String(name)));
  for (const word of wanted) {
    if (!(word in module)) throw new SyntaxError(`The requested module '${name}' does not provide an export named '${word}'`);
  }
  return module;
}

function locate(name) {
  if (/^(node|data|https?):/.test(name) || builtinModules.includes(name)) return name;
  if (!isBare(name)) return fresh(name.startsWith('file:') ? new URL(name) : pathToFileURL(path.resolve(name)));
  // import.meta.resolve would start from this file; a package is looked for from the working directory.
  const entry = fromPackages(name);
  return entry ? pathToFileURL(entry).href : name;
}

// A file that was changed after its first import is imported anew: modules are kept by address.
function fresh(url) {
  const changed = fs.statSync(url, { throwIfNoEntry: false })?.mtimeMs;
  if (changed === undefined) return url.href;
  if (!versions.has(url.href)) versions.set(url.href, changed);
  return versions.get(url.href) === changed ? url.href : `${url.href}?changed=${changed}`;
}

// The file that `import 'name'` means: what the package exports for import, else what require finds.
function fromPackages(name) {
  const [scope, ...rest] = name.split('/');
  const folder = scope.startsWith('@') ? `${scope}/${rest.shift()}` : scope;
  const inside = rest.length ? `./${rest.join('/')}` : '.';
  for (const place of places()) {
    const root = path.join(place, folder);
    const description = readJson(path.join(root, 'package.json'));
    if (!description) continue;
    const target = exported(description.exports, inside);
    if (target) return path.join(root, target);
    return found(inside === '.' ? root : path.join(root, inside)) ?? null;
  }
  return null;
}

function exported(table, inside) {
  if (table === undefined || table === null) return null;
  const isSubpaths = typeof table === 'object' && !Array.isArray(table) && Object.keys(table).some((key) => key.startsWith('.'));
  return condition(isSubpaths ? table[inside] : inside === '.' ? table : undefined);
}

function condition(target) {
  if (typeof target === 'string') return target;
  if (Array.isArray(target)) return target.map(condition).find(Boolean) ?? null;
  for (const key of Object.keys(target ?? {})) {
    if (['import', 'node', 'module-sync', 'default'].includes(key)) {
      const inner = condition(target[key]);
      if (inner) return inner;
    }
  }
  return null;
}

function places() {
  const upwards = [];
  for (let at = process.cwd(); ; at = path.dirname(at)) {
    upwards.push(path.join(at, 'node_modules'));
    if (at === path.dirname(at)) break;
  }
  return [...upwards, ...installed()];
}

function installed() {
  const home = process.env.HOME ?? '/';
  return [path.join(home, '.local', 'lib', 'node_modules'), ...(process.env.NODE_PATH ?? '').split(':').filter(Boolean), '/usr/local/lib/node_modules', '/usr/lib/node_modules'];
}

function found(name) {
  for (const place of installed()) {
    try {
      return createRequire(path.join(place, 'x.js')).resolve(path.isAbsolute(name) ? name : path.join(place, name));
    } catch {
      continue;
    }
  }
  return null;
}

function readJson(file) {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8'));
  } catch {
    return null;
  }
}

function isBare(name) {
  return !name.startsWith('.') && !name.startsWith('/') && !name.startsWith('file:');
}

function raise(problem) {
  throw problem;
}

module.exports = { install };
