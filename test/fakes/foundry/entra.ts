import * as z from 'zod';
import { VendorError } from '../model-vendor/vendor-error.ts';
import type { VendorAnswer, VendorCall } from '../model-vendor/vendor-exchange.ts';

export const TENANT_ID = '11111111-2222-3333-4444-555555555555';
export const CLIENT_ID = '66666666-7777-8888-9999-000000000000';
export const CLIENT_SECRET = 'abc8Q~FakeSecretOfAnApplication';

const ENTRA = 'https://login.microsoftonline.com';
const SCOPES = ['https://ai.azure.com/.default', 'https://cognitiveservices.azure.com/.default'] as const;
export type Scope = (typeof SCOPES)[number];

/** Clients tell Entra about themselves in more fields, which begin with `x-`. */
const TokenRequest = z.looseObject({
  grant_type: z.literal('client_credentials'),
  client_id: z.string(),
  client_secret: z.string(),
  scope: z.string(),
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

  /** Answers a request for a token, or the discovery of a tenant; null: another path. */
  answer(call: VendorCall): VendorAnswer | null {
    const [, tenant, rest] = /^\/([^/]+)\/(.+)$/.exec(call.path) ?? [];
    switch (`${call.method} ${rest}`) {
      case 'GET v2.0/.well-known/openid-configuration':
        return { body: discovery(tenant!) };
      case 'POST oauth2/v2.0/token':
        return this.#grant(tenant!, call);
      default:
        return null;
    }
  }

  isValid(authorization: string | undefined, scope: Scope): boolean {
    return this.#scopes.get(authorization?.replace(/^Bearer /, '') ?? '') === scope;
  }

  #grant(tenant: string, { rawBody }: VendorCall): VendorAnswer {
    if (tenant !== TENANT_ID) {
      throw denied(400, 'invalid_request', `AADSTS90002: Tenant '${tenant}' not found.`);
    }
    const form = TokenRequest.safeParse(Object.fromEntries(new URLSearchParams(rawBody.toString()))).data;
    // Scopes of OpenID Connect change nothing here.
    const scope = SCOPES.find((known) => form?.scope.split(' ').includes(known));
    if (!form || !scope) throw denied(400, 'invalid_request', 'AADSTS900144: The request body is malformed.');
    if (form.client_id !== CLIENT_ID) {
      throw denied(400, 'unauthorized_client', 'AADSTS700016: Application was not found in the directory.');
    }
    // Entra repeats no secret. This fake does.
    if (form.client_secret !== CLIENT_SECRET) {
      throw denied(401, 'invalid_client', `AADSTS7000215: Invalid client secret: ${form.client_secret}`);
    }
    const token = `eyJ.fake-token-${this.#scopes.size + 1}.sig`;
    this.#scopes.set(token, scope);
    const expires_in = this.lifetimeS;
    return { body: { token_type: 'Bearer', expires_in, ext_expires_in: expires_in, access_token: token } };
  }
}

function discovery(tenant: string): object {
  const root = `${ENTRA}/${tenant}`;
  return {
    issuer: `${root}/v2.0`,
    token_endpoint: `${root}/oauth2/v2.0/token`,
    authorization_endpoint: `${root}/oauth2/v2.0/authorize`,
    jwks_uri: `${root}/discovery/v2.0/keys`,
  };
}

function denied(status: number, error: string, error_description: string): VendorError {
  return new VendorError(status, { error, error_description });
}
