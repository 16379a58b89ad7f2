/** The folder of the bundle to run; see start.cjs. */
const { createHash } = require('node:crypto');
const { existsSync, readdirSync, statSync } = require('node:fs');
const { join } = require('node:path');

const ROOT = join(__dirname, '..');
/** The bundle of a gateway that was shipped without its sources, in a package or a container image. */
const SHIPPED_BUNDLE = join(ROOT, 'build/gateway');

/** Returns the shipped bundle's folder, or one whose name changes with every source file, package and version of Node. */
function bundleDir() {
  if (!existsSync(join(__dirname, 'main.ts'))) return SHIPPED_BUNDLE;
  const hash = createHash('sha1').update(process.version + process.arch);
  addFile(hash, join(ROOT, 'config/bundle.cjs'));
  addFile(hash, join(ROOT, 'node_modules/.package-lock.json'));
  addFolder(hash, __dirname);
  return join(ROOT, 'node_modules/.cache/gateway', hash.digest('hex').slice(0, 16));
}

function addFolder(hash, folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) addFolder(hash, path);
    else addFile(hash, path);
  }
}

function addFile(hash, path) {
  const { mtimeMs, size } = statSync(path);
  hash.update(`${path} ${mtimeMs} ${size}\n`);
}

module.exports = { bundleDir };
