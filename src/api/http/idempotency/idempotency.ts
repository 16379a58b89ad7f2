import { createHash } from 'node:crypto';
import type { RequestRef } from '../../../store/keys/idempotent-requests.ts';
import type { Principal } from '../../auth/principal.ts';
import type { Reply } from '../answer/reply.ts';
import { ValidationError } from '../request/validation.ts';
import type { Route } from '../routing/route.ts';

/** As the IETF's draft names it (draft-ietf-httpapi-idempotency-key-header). */
export const KEY_HEADER = 'Idempotency-Key';
/** What a key looks like. */
export const KEY_FORM = /^[\x20-\x7e]{1,255}$/;

/** A request that must not take effect twice. */
export interface KeyedRequest {
  readonly ref: RequestRef;
  /** The same for the same endpoint, parameters and body only. */
  readonly fingerprint: string;
  /** The handler knows again what it has begun before a crash. */
  readonly resumes: boolean;
}

/** Lets a request take effect once, however often it comes. */
export interface Idempotency {
  /** Runs `action`, or answers as the request was answered before. */
  once(request: KeyedRequest, action: () => Promise<Reply>): Promise<Reply>;
}

/** Whether a route's requests may carry a key: those that change something, of somebody who is known. */
export function takesKey({ method, access, idempotency }: Route): boolean {
  return method === 'post' && access !== 'public' && idempotency !== 'none';
}

/** Whose key it is; null without a key. Throws a ValidationError for one that is too long or not plain text. */
export function requestRef(principal: Principal, key: string): RequestRef | null {
  if (key === '') return null;
  if (!KEY_FORM.test(key))
    throw keyFault('string_pattern_mismatch', 'A key is 1 to 255 printable ASCII characters');
  return { accountId: principal.accountId, credentialId: principal.credentialId, key };
}

/** Says what is wrong with a request's key. */
export function keyFault(type: string, msg: string): ValidationError {
  return new ValidationError([{ loc: ['header', KEY_HEADER], type, msg }]);
}

/** `target`: method, path and query. */
export function fingerprintOf(target: string, body: Uint8Array): string {
  return createHash('sha256').update(`${target}\n`).update(body).digest('base64url');
}
