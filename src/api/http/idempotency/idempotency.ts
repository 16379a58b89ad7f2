import { createHash } from 'node:crypto';
import type { RequestRef } from '../../../store/keys/idempotent-requests.ts';
import type { Principal } from '../../auth/principal.ts';
import type { Reply } from '../answer/reply.ts';
import { ValidationError } from '../request/validation.ts';
import type { Route } from '../routing/route.ts';

/** Header name from the IETF draft (draft-ietf-httpapi-idempotency-key-header). */
export const KEY_HEADER = 'Idempotency-Key';
/** Format of a key. */
export const KEY_FORM = /^[\x20-\x7e]{1,255}$/;
export const KEY_FORM_TEXT = 'A key must be 1 to 255 printable ASCII characters';

/** A request that must take effect only once. */
export interface KeyedRequest {
  readonly ref: RequestRef;
  /** Identical only for the same endpoint, parameters and body. */
  readonly fingerprint: string;
  /** Whether the handler recognizes work that it started before a crash. */
  readonly resumes: boolean;
}

/** Makes a repeated request take effect only once. */
export interface Idempotency {
  /** Runs `action`, or returns the stored answer of an earlier run. */
  once(request: KeyedRequest, action: () => Promise<Reply>): Promise<Reply>;
}

/** Whether a route accepts idempotency keys: POST routes that require a credential and do not opt out. */
export function takesKey({ method, access, idempotency }: Route): boolean {
  return method === 'post' && access !== 'public' && idempotency !== 'none';
}

/**
 * The owner and text of the key, or null without a key. Throws a ValidationError if the key is too long or is not
 * printable ASCII.
 */
export function requestRef(principal: Principal, key: string): RequestRef | null {
  if (key === '') return null;
  if (!KEY_FORM.test(key)) throw keyFault('string_pattern_mismatch', KEY_FORM_TEXT);
  return { accountId: principal.accountId, credentialId: principal.credentialId, key };
}

/** The error for an invalid idempotency key. */
export function keyFault(type: string, msg: string): ValidationError {
  return new ValidationError([{ loc: ['header', KEY_HEADER], type, msg }]);
}

/** Hash of the target (method, path and query) and the body. */
export function fingerprintOf(target: string, body: Uint8Array): string {
  return createHash('sha256').update(`${target}\n`).update(body).digest('base64url');
}
