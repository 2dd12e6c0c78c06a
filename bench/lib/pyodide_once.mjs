// node pyodide_once.mjs LIBRARY CODE: Python in WebAssembly from nothing to the result of the code.
const [library, code] = process.argv.slice(2);
const {loadPyodide} = await import(library);
const python = await loadPyodide();
await python.runPythonAsync(code);
