import type * as uWS from 'uWebSockets.js';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { SHA256 } from './checksums.ts';

export type Uws = typeof uWS;

/**
 * Header size limit, which the library reads when it is loaded. Its default of 4 KB is too small for what proxies and
 * signed tokens add; most servers accept 16 KB.
 */
const MAX_HEADERS_BYTES = '16384';

let loaded: Uws | string | null = null;

/**
 * Loads the library's native file once. Returns the reason if there is none for this machine. Throws if the file does
 * not match its pinned checksum, because a modified file could run any code here.
 */
export function loadUws(): Uws | string {
  loaded ??= load();
  return loaded;
}

function load(): Uws | string {
  const name = `uws_${process.platform}_${process.arch}_${process.versions.modules}.node`;
  const expected = SHA256[name];
  if (expected === undefined) return `there is no build for this machine and this Node (${name})`;
  const path = placeOf(name);
  if (path === null) return `${name} is not installed`;
  assertChecksum(path, expected);
  process.env.UWS_HTTP_MAX_HEADERS_SIZE ??= MAX_HEADERS_BYTES;
  try {
    return createRequire(import.meta.url)(path) as Uws;
  } catch (error) {
    return (error as Error).message;
  }
}

/** Finds the native file directly, because the package's own module loads it without checking it. */
function placeOf(name: string): string | null {
  const folders = createRequire(import.meta.url).resolve.paths('uWebSockets.js') ?? [];
  const places = folders.map((folder) => join(folder, 'uWebSockets.js/dist/bin', name));
  return places.find((place) => existsSync(place)) ?? null;
}

/** Verifies a file's checksum. Throws an error with advice if it does not match. */
export function assertChecksum(path: string, expected: string): void {
  const found = createHash('sha256').update(readFileSync(path)).digest('hex');
  if (found === expected) return;
  throw new Error(
    `${path} is not the file that this version of the gateway was tested with (SHA-256 ${found}, not ${expected}). ` +
      'Reinstall the packages with "npm install", or set SVC_HTTP_SERVER=node.',
  );
}
