import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { GatewayError } from '../../base/errors.ts';

/** In a bundled gateway, config/bundle.cjs replaces this by the folder of the bundled dashboard. */
const FOLDER = new URL('../../dashboard/', import.meta.url);
const PACKED = '.gz';

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** A file whose name changes with its content. */
export interface DashboardFile {
  readonly contentType: string;
  readonly bytes: Uint8Array;
  readonly gzipped: Uint8Array | null;
}

export interface Dashboard {
  /** HTML that names the files by `{{assets}}`, their folder: of the dashboard, and of the reference of the API. */
  readonly pages: Readonly<Record<'dashboard' | 'reference', string>>;
  readonly files: ReadonlyMap<string, DashboardFile>;
}

/** Loads the bundled dashboard at its first use, and keeps it in memory: some 300 KB. Throws `not_ready`. */
export function dashboardLoader(): () => Promise<Dashboard> {
  let loading: Promise<Dashboard> | null = null;
  return () => {
    loading ??= load().catch((error: Error) => {
      loading = null;
      throw new GatewayError('not_ready', `The dashboard could not be built: ${error.message}`);
    });
    return loading;
  };
}

async function load(): Promise<Dashboard> {
  const folder = await bundledFolder();
  const names = (await readdir(folder)).filter((name) => extname(name) in TYPES);
  const packed = new Set((await readdir(folder)).filter((name) => name.endsWith(PACKED)));
  const files = names.map(async (name): Promise<[string, DashboardFile]> => {
    const contentType = TYPES[extname(name)]!;
    const bytes = await readFile(new URL(name, folder));
    const gzipped = packed.has(name + PACKED) ? await readFile(new URL(name + PACKED, folder)) : null;
    return [name, { contentType, bytes, gzipped }];
  });
  const [dashboard, reference] = await Promise.all(
    ['dashboard.html', 'reference.html'].map((name) => readFile(new URL(name, folder), 'utf8')),
  );
  return {
    pages: { dashboard: dashboard!, reference: reference! },
    files: new Map(await Promise.all(files)),
  };
}

/** A gateway that runs from its sources has no bundle, and makes that of the dashboard now. */
async function bundledFolder(): Promise<URL> {
  if (!FOLDER.pathname.endsWith('/src/dashboard/')) return FOLDER;
  const { bundleDashboard } = createRequire(import.meta.url)('../../../config/bundle.cjs') as {
    bundleDashboard(dir: string): Promise<void>;
  };
  const built = new URL('../../../node_modules/.cache/dashboard/', import.meta.url);
  await bundleDashboard(fileURLToPath(built));
  return built;
}
