/** The folder of the bundle for the current sources; see start.cjs. */
const { createHash } = require('node:crypto');
const { readdirSync, statSync } = require('node:fs');
const { join } = require('node:path');

const ROOT = join(__dirname, '..');

/** Returns a folder whose name changes with every source file, package and version of Node. */
function bundleDir() {
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
