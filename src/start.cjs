#!/usr/bin/env node
/**
 * Entry point of `npm start`. Stripping types and resolving some 800 modules takes most of a start. The first start
 * therefore bundles them, and later starts run the bundle with V8's cached code. If no bundle can be made (read-only
 * disk, no esbuild for this platform), the sources run instead. A gateway shipped without sources brings its bundle.
 *
 * Plain CommonJS, so that Node loads neither its type stripper nor its ESM loader, and a Node that is too old can say so.
 */
const { existsSync, writeFile } = require('node:fs');
const { enableCompileCache, flushCompileCache } = require('node:module');
const { join } = require('node:path');
const { setFlagsFromString } = require('node:v8');
const { bundleDir } = require('./bundle-dir.cjs');

/** Also in package.json, under "engines". */
const OLDEST_NODE = [22, 18];
/** sysexits.h: EX_UNAVAILABLE. */
const EXIT_UNAVAILABLE = 69;
/**
 * Node takes these on its command line only. The first limits the young generation, which would grow to 32 MB during
 * calls; the second keeps SIGUSR1 from opening the debugger.
 */
const NODE_FLAGS = ['--max-semi-space-size=2', '--disable-sigusr1'];
/**
 * Has AsyncLocalStorage (base/on-behalf) use V8's own contexts. Without it Node hooks every promise, which takes a tenth of a
 * request. From this version on it is the default, and no flag.
 */
const CONTEXT_FLAG = '--experimental-async-context-frame';
const CONTEXTS_BY_DEFAULT = 24;

/** The start is over by then. Its compiled code is written now, in case the process does not exit cleanly. */
const FLUSH_AFTER_MS = 3_000;
/** Otherwise V8 drops the code of functions that ran only once, such as module bodies, before it is cached. */
const KEEP_CODE = '--no-flush-bytecode';
const DROP_CODE = '--flush-bytecode';

function refuseOldNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  const [oldestMajor, oldestMinor] = OLDEST_NODE;
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return;
  process.stderr.write(
    `The gateway needs Node ${OLDEST_NODE.join('.')} or newer; this is ${process.versions.node}. In a checkout, "npm start" brings one.\n`,
  );
  process.exit(EXIT_UNAVAILABLE);
}

/** Becomes a Node with the flags, in the same process, unless it has them. */
function takeFlags() {
  const needsContexts = Number.parseInt(process.versions.node, 10) < CONTEXTS_BY_DEFAULT;
  const wanted = needsContexts ? [CONTEXT_FLAG, ...NODE_FLAGS] : NODE_FLAGS;
  const missing = wanted.filter((flag) => !process.execArgv.includes(flag));
  if (missing.length === 0) return;
  const [program, ...args] = process.argv;
  process.execve(program, [program, ...process.execArgv, ...missing, ...args], process.env);
}

async function preparedMain() {
  const dir = bundleDir();
  if (!existsSync(dir)) await require('../config/bundle.cjs').bundleIntoCache(dir);
  const compiled = join(dir, 'compiled');
  const kept = join(dir, 'kept');
  const isKept = existsSync(kept);
  enableCompileCache(compiled);
  // Only now, because the cache is looked up by V8's flags.
  if (!isKept) setFlagsFromString(KEEP_CODE);
  const dropCode = () => setFlagsFromString(DROP_CODE);
  // Node writes the cache at exit, too.
  process.once('exit', dropCode);
  setTimeout(() => {
    dropCode();
    flushCompileCache();
    // Fails on a read-only disk, where the cache was not written either.
    if (!isKept) writeFile(kept, '', () => {});
  }, FLUSH_AFTER_MS).unref();
  return join(dir, 'main.cjs');
}

refuseOldNode();
takeFlags();
// The limit of the young generation takes effect when the heap is created, so the flag can be reset here. V8 rejects cached
// code that was compiled with other flags; Node's own modules were compiled with the default, which saves 30 ms.
setFlagsFromString('--max-semi-space-size=0');
preparedMain().then(require, (error) => {
  process.stderr.write(`Starting from the sources, which takes longer: ${error.message}\n`);
  return import('./main.ts');
});
