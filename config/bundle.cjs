/** Joins the gateway's modules and those of its packages into one CommonJS file a thread: see src/start.cjs. */
const { readFile, mkdir, readdir, rename, rm, stat } = require('node:fs/promises');
const { dirname, join, relative } = require('node:path');

const ROOT = join(__dirname, '..');
const THREADS = [
  'src/main.ts',
  'src/engine/engine.worker.ts',
  'src/store/database/checkpoint.worker.ts',
  'src/threads/jobs.worker.ts',
];
/** Native, or they find their own worker files beside them, or most starts do without them. */
const LEFT_OUT = ['better-sqlite3', 'piscina', '@node-rs/argon2', 'nodemailer'];

/** Of prom-client, parts that we have no use for: they load cluster, http and tls at every start. */
const UNUSED = /prom-client[/\\]lib[/\\](cluster|pushgateway)\.js$/;

const NOT_THERE = `module.exports = class { constructor() { throw new Error('left out by config/bundle.cjs'); } };`;

const KEPT_BUNDLES = 5;

const WORKER_URL = /new URL\(\s*'[^']*?([\w.-]+\.worker)\.ts',\s*import\.meta\.url,?\s*\)/g;

/**
 * Modules find files beside themselves by `import.meta`, which CommonJS does not have; and a thread that starts
 * another shall start its bundle.
 */
function placesKept(dir) {
  const onLoad = async ({ path }) => {
    const source = await readFile(path, 'utf8');
    if (!source.includes('import.meta.')) return undefined;
    const contents = source
      .replace(WORKER_URL, (_, name) => `new URL('${name}.cjs', __bundleUrl)`)
      .replaceAll('import.meta.url', `new URL(${JSON.stringify(relative(dir, path))}, __bundleUrl).href`)
      .replaceAll('import.meta.dirname', `__inBundle(${JSON.stringify(relative(dir, dirname(path)))})`);
    return { contents, loader: path.endsWith('.ts') ? 'ts' : 'js' };
  };
  return { name: 'places kept', setup: (build) => build.onLoad({ filter: /\.(ts|mjs)$/ }, onLoad) };
}

const BANNER = `const __bundleUrl = require('node:url').pathToFileURL(__filename);
const __inBundle = (place) => require('node:path').join(__dirname, place);`;

const unusedLeftOut = {
  name: 'unused left out',
  setup: (build) => build.onLoad({ filter: UNUSED }, () => ({ contents: NOT_THERE })),
};

/** Makes the bundle in `dir`; it is there complete or not at all. */
async function bundle(dir) {
  const unfinished = `${dir}.${process.pid}`;
  await mkdir(unfinished, { recursive: true });
  const { build, stop } = require('esbuild');
  await build({
    absWorkingDir: ROOT,
    entryPoints: THREADS,
    entryNames: '[name]',
    outdir: unfinished,
    outExtension: { '.js': '.cjs' },
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node22',
    external: LEFT_OUT,
    plugins: [unusedLeftOut, placesKept(unfinished)],
    banner: { js: BANNER },
    logLevel: 'silent',
  });
  // Its process would stay as long as ours, and be pinged every second.
  await stop();
  // Another start that made the same bundle at the same time may have been quicker.
  await rename(unfinished, dir).catch(() => rm(unfinished, { recursive: true }));
  await removeFormer(dirname(dir));
}

/** A gateway that still runs takes new threads from the bundle it was started from, so a few former ones stay. */
async function removeFormer(cache) {
  const paths = (await readdir(cache)).map((name) => join(cache, name));
  const dated = await Promise.all(paths.map(async (path) => ({ path, madeMs: (await stat(path)).mtimeMs })));
  const former = dated.sort((a, b) => b.madeMs - a.madeMs).slice(KEPT_BUNDLES);
  await Promise.all(former.map(({ path }) => rm(path, { recursive: true, force: true })));
}

module.exports = { bundle };

// For images, whose processes may not write beside the sources.
if (require.main === module) void bundle(require('../src/bundle-dir.cjs').bundleDir());
