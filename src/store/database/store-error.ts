export type StoreErrorCode =
  | 'locked'
  | 'not_a_database'
  | 'damaged'
  | 'not_writable'
  | 'newer_schema'
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
  if (
    /^(SQLITE_(READONLY|CANTOPEN|IOERR|PERM|AUTH|FULL)|EACCES|EPERM|EROFS|ENOSPC|ENOTDIR|EEXIST)/.test(code)
  ) {
    return new StoreError('not_writable', `${path} cannot be opened for writing (${code})`, options);
  }
  return error;
}
