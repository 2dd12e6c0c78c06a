// SIGINT: stops a cell that computes, ends one that waits, and does nothing between cells.
//
// vm's breakOnSigint stops a script with a thread that catches the signal, but for one script only: a signal that comes while the thread is being set
// up or taken down is lost, or kills the process. Node's own prompt has the same trouble and keeps that thread for longer, with a binding that
// is not public (hence --expose-internals). Here it runs for as long as the process does, and a waiting cell asks it now and then.
'use strict';

const { startSigintWatchdog, stopSigintWatchdog, watchdogHasPendingSigint } = contextify();
const PERIOD = 20; // milliseconds

// Node warns that this is internal; the user of a context has not asked for it.
function contextify() {
  const warn = process.emitWarning;
  process.emitWarning = () => {};
  try {
    return require('internal/test/binding').internalBinding('contextify');
  } finally {
    process.emitWarning = warn;
  }
}

function install() {
  process.execArgv = process.execArgv.filter((word) => word !== '--expose-internals'); // not for what user code forks
  startSigintWatchdog();
}

// Before each cell. A listener that an earlier one left behind has taken the signal over.
function begin() {
  if (process.listenerCount('SIGINT') > 0) {
    process.removeAllListeners('SIGINT');
    stopSigintWatchdog();
    startSigintWatchdog();
  }
  forget();
}

// Calls back when the signal has come. Returns what ends the watch.
function watch(callback) {
  const timer = setInterval(() => {
    if (!watchdogHasPendingSigint()) return;
    forget();
    callback();
  }, PERIOD);
  return () => clearInterval(timer);
}

// A second start is only counted; its stop clears what is pending.
function forget() {
  startSigintWatchdog();
  stopSigintWatchdog();
}

module.exports = { install, begin, watch };
