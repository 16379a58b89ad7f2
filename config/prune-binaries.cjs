/**
 * Deletes what installed packages bring for other machines: binaries for other platforms and versions of Node, and
 * sources to compile where no binary fits. Run it after an installation.
 */
const { existsSync, readdirSync, rmSync } = require('node:fs');
const { join } = require('node:path');

const PACKAGES = join(__dirname, '../node_modules');
const { platform, arch } = process;
/** `process.versions.modules` of Node 22, the only one that the gateway loads uWebSockets.js in; see src/api/http/uws. */
const NODE_22 = 127;

/** Keeps one file of a folder, if it is there: without it, the package may still need the others. */
function keepOnly(name, folder) {
  if (!existsSync(join(folder, name))) return false;
  for (const other of readdirSync(folder).filter((file) => file !== name)) rmSync(join(folder, other));
  return true;
}

function pruneSqlite(folder) {
  const musl = platform === 'linux' && !process.report.getReport().header.glibcVersionRuntime;
  const fits = keepOnly(`${platform}${musl ? 'musl' : ''}-${arch}.node`, join(folder, 'prebuilds'));
  if (!fits) return;
  for (const sources of ['deps', 'src']) rmSync(join(folder, sources), { recursive: true, force: true });
}

keepOnly(`uws_${platform}_${arch}_${NODE_22}.node`, join(PACKAGES, 'uWebSockets.js/dist/bin'));
pruneSqlite(join(PACKAGES, 'better-sqlite3'));
