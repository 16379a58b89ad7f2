import * as z from 'zod';
import { VendorError } from '../model-vendor/vendor-error.ts';
import type { VendorAnswer, VendorCall } from '../model-vendor/vendor-exchange.ts';

export const TENANT_ID = '11111111-2222-3333-4444-555555555555';
export const CLIENT_ID = '66666666-7777-8888-9999-000000000000';
export const CLIENT_SECRET = 'abc8Q~FakeSecretOfAnApplication';

const SCOPES = ['https://ai.azure.com/.default', 'https://cognitiveservices.azure.com/.default'] as const;
export type Scope = (typeof SCOPES)[number];

const TokenRequest = z.strictObject({
  grant_type: z.literal('client_credentials'),
  client_id: z.string(),
  client_secret: z.string(),
  scope: z.enum(SCOPES),
});

/** Microsoft Entra ID: gives tokens to one application. */
export class FakeEntra {
  /** Of new tokens, s. */
  lifetimeS = 3_599;
  readonly #scopes = new Map<string, Scope>();

  /** Tokens so far. */
  get tokens(): string[] {
    return [...this.#scopes.keys()];
  }

  /** Answers a request for a token; null: another path. */
  answer({ method, path, rawBody }: VendorCall): VendorAnswer | null {
    const [, tenant] = /^\/([^/]+)\/oauth2\/v2\.0\/token$/.exec(path) ?? [];
    if (tenant === undefined || method !== 'POST') return null;
    if (tenant !== TENANT_ID) {
      throw denied(400, 'invalid_request', `AADSTS90002: Tenant '${tenant}' not found.`);
    }
    const form = TokenRequest.safeParse(Object.fromEntries(new URLSearchParams(rawBody.toString()))).data;
    if (!form) throw denied(400, 'invalid_request', 'AADSTS900144: The request body is malformed.');
    if (form.client_id !== CLIENT_ID) {
      throw denied(400, 'unauthorized_client', 'AADSTS700016: Application was not found in the directory.');
    }
    // Entra repeats no secret. This fake does.
    if (form.client_secret !== CLIENT_SECRET) {
      throw denied(401, 'invalid_client', `AADSTS7000215: Invalid client secret: ${form.client_secret}`);
    }
    const token = `eyJ.fake-token-${this.#scopes.size + 1}.sig`;
    this.#scopes.set(token, form.scope);
    return { body: { token_type: 'Bearer', expires_in: this.lifetimeS, access_token: token } };
  }

  isValid(authorization: string | undefined, scope: Scope): boolean {
    return this.#scopes.get(authorization?.replace(/^Bearer /, '') ?? '') === scope;
  }
}

function denied(status: number, error: string, error_description: string): VendorError {
  return new VendorError(status, { error, error_description });
}
