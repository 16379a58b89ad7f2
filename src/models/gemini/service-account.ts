import { createPrivateKey, type KeyObject, sign } from 'node:crypto';
import { z } from 'zod';
import { parseJson } from '../../base/json.ts';
import { unusable } from '../model-fault.ts';

/** A Google service account, from the key file that the console gives out. */
export interface ServiceAccount {
  readonly email: string;
  readonly keyId: string | null;
  readonly key: KeyObject;
  readonly project: string | null;
}

const KeyFile = z.object({
  type: z.literal('service_account'),
  client_email: z.string().min(1),
  private_key: z.string().min(1),
  private_key_id: z.string().optional(),
  project_id: z.string().optional(),
});

/** Whom the assertion is for: always Google, never an address from the file. */
const AUDIENCE = 'https://oauth2.googleapis.com/token';
const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';
const LIFETIME_S = 3_600;

/** Throws ModelFault `bad_request` for a text that is no such file. */
export function readServiceAccount(json: string): ServiceAccount {
  const file = KeyFile.safeParse(parsed(json)).data;
  if (file === undefined) throw unusable('service_account must be the JSON key file of a service account');
  return {
    email: file.client_email,
    keyId: file.private_key_id ?? null,
    key: privateKey(file.private_key),
    project: file.project_id ?? null,
  };
}

/**
 * Returns a signed statement that can be exchanged for an access token of one hour (RFC 7523). `nowIso`: ISO 8601.
 * https://developers.google.com/identity/protocols/oauth2/service-account
 */
export function assertionOf({ email, keyId, key }: ServiceAccount, nowIso: string): string {
  const iat = Math.floor(Date.parse(nowIso) / 1_000);
  const header = { alg: 'RS256', typ: 'JWT', ...(keyId === null ? {} : { kid: keyId }) };
  const claims = { iss: email, scope: SCOPE, aud: AUDIENCE, iat, exp: iat + LIFETIME_S };
  const text = [header, claims].map((part) => base64url(JSON.stringify(part))).join('.');
  return `${text}.${base64url(sign('RSA-SHA256', Buffer.from(text), key))}`;
}

function privateKey(pem: string): KeyObject {
  try {
    const key = createPrivateKey(pem);
    if (key.asymmetricKeyType === 'rsa') return key;
  } catch {
    // The error may quote the key.
  }
  throw unusable('the private_key of service_account cannot be read');
}

function parsed(json: string): unknown {
  try {
    return parseJson(json);
  } catch {
    return null;
  }
}

function base64url(data: string | Buffer): string {
  return Buffer.from(data).toString('base64url');
}
