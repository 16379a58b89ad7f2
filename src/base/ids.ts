import { randomBytes } from 'node:crypto';

/** Kinds of identifiers; the prefix tells a reader of a log what an id names. */
export type IdKind = 'acc' | 'agt' | 'key' | 'call' | 'room' | 'part' | 'did' | 'evt' | 'req' | 'leg';

/** A random identifier such as `call_3q2-7wV1kX9eQ0aB`: 15 random bytes in base64url, unguessable. */
export function newId(kind: IdKind): string {
  return `${kind}_${randomBytes(15).toString('base64url')}`;
}

/** A fresh API key: `svc_` and 32 random bytes in base64url. */
export function newApiKey(): string {
  return `svc_${randomBytes(32).toString('base64url')}`;
}
