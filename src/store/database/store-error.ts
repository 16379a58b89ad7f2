import { statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

export type StoreErrorCode =
  | 'locked'
  | 'not_a_database'
  | 'damaged'
  | 'not_writable'
  | 'no_space'
  | 'newer_schema'
  | 'older_schema'
  | 'new_database'
  | 'wrong_master_key';

/** The data directory is unusable in its current state and needs an operator. Nothing in it has been changed. */
export class StoreError extends Error {
  readonly code: StoreErrorCode;

  constructor(code: StoreErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StoreError';
    this.code = code;
  }
}

const NO_SPACE = /^(SQLITE_FULL|ENOSPC|EDQUOT)$/;
/** SQLite's codes do not say why the disk took no more. */
const IO_ERROR = /^SQLITE_(IOERR|CANTOPEN)/;
/** An empty database with its log takes about as much. */
const LEAST_BYTES = 1_000_000;

function hasSpace(path: string): boolean {
  try {
    const { bavail, bsize, files, ffree } = statfsSync(dirname(path));
    return bavail * bsize >= LEAST_BYTES && (files === 0 || ffree > 0);
  } catch {
    return true;
  }
}

/** Whose directory it is, unless it is the gateway's user's: most often one that Docker has made for root. */
function ownerOf(dir: string): string {
  const own = process.geteuid!();
  const owner = statSync(dir, { throwIfNoEntry: false })?.uid ?? own;
  return owner === own ? '' : `: ${dir} belongs to user ${owner}, and the gateway runs as user ${own}`;
}

/** Converts an error of SQLite or the file system into one that an operator can act on. */
export function describeFailure(path: string, error: unknown): unknown {
  const code = String((error as { code?: unknown }).code ?? '');
  const options = { cause: error };
  if (code === 'SQLITE_NOTADB') {
    return new StoreError('not_a_database', `${path} is not a SQLite database; it was not changed`, options);
  }
  if (code.startsWith('SQLITE_CORRUPT')) {
    return new StoreError('damaged', `${path} is damaged; it was not changed: restore a backup`, options);
  }
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED')) {
    return new StoreError('locked', `${path} is locked by another program`, options);
  }
  if (NO_SPACE.test(code) || (IO_ERROR.test(code) && !hasSpace(path))) {
    return new StoreError(
      'no_space',
      `There is no space left in ${dirname(path)}: free some, or set SVC_DATA_DIR to a directory on another disk`,
      options,
    );
  }
  if (
    /^(SQLITE_(READONLY|CANTOPEN|IOERR|PERM|AUTH|FULL)|EACCES|EPERM|EROFS|ENOSPC|ENOTDIR|EEXIST)/.test(code)
  ) {
    const reason = `${path} cannot be opened for writing (${code})${ownerOf(dirname(path))}`;
    return new StoreError('not_writable', reason, options);
  }
  return error;
}
