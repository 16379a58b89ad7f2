/**
 * What `npm start` runs. Stripping the types of 190 modules and finding 600 more in packages takes longer than all
 * else that a start does, so the first start joins them into a bundle, and those after it run the bundle with V8's
 * compiled code beside it. Where no bundle can be made (no right to write, no esbuild for the machine) the sources run.
 *
 * Plain CommonJS: neither the type stripper nor the ESM loader has to be woken for it.
 */
const { existsSync, writeFile } = require('node:fs');
const { enableCompileCache, flushCompileCache } = require('node:module');
const { join } = require('node:path');
const { setFlagsFromString } = require('node:v8');
const { bundleDir } = require('./bundle-dir.cjs');

/** By then a start is over, and what it compiled is worth keeping, should the process not end in good order. */
const FLUSH_AFTER_MS = 3_000;
/** V8 drops the code of functions that ran once and not since, which modules are, long before it is kept. */
const KEEP_CODE = '--no-flush-bytecode';
const DROP_CODE = '--flush-bytecode';

/**
 * The command line bounds the space for new objects, which would grow to 32 MB under calls (package.json). The bound
 * holds from the moment the heap is made; the flag itself goes back to its default, because V8 throws away compiled
 * code that was made under other flags, and Node's own modules were compiled under none: 30 ms of a start.
 */
setFlagsFromString('--max-semi-space-size=0');

async function preparedMain() {
  const dir = bundleDir();
  if (!existsSync(dir)) await require('../config/bundle.cjs').bundle(dir);
  const compiled = join(dir, 'compiled');
  const kept = join(dir, 'kept');
  const isKept = existsSync(kept);
  enableCompileCache(compiled);
  // Not before: what is kept has to be of the same flags as what is looked for.
  if (!isKept) setFlagsFromString(KEEP_CODE);
  const dropCode = () => setFlagsFromString(DROP_CODE);
  // Node keeps it then, too.
  process.once('exit', dropCode);
  setTimeout(() => {
    dropCode();
    flushCompileCache();
    // Where nothing may be written nothing is kept, either.
    if (!isKept) writeFile(kept, '', () => {});
  }, FLUSH_AFTER_MS).unref();
  return join(dir, 'main.cjs');
}

preparedMain().then(require, (error) => {
  process.stderr.write(`Starting from the sources, which takes longer: ${error.message}\n`);
  return import('./main.ts');
});
