import { generateKeyPairSync, verify } from 'node:crypto';
import { VendorError } from '../model-vendor/vendor-error.ts';
import type { VendorAnswer, VendorCall } from '../model-vendor/vendor-exchange.ts';
import { FakeGemini } from './fake-gemini.ts';
import { googleError } from './gemini-errors.ts';

const EMAIL = 'agent@fake-project-1.iam.gserviceaccount.com';
const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';
const LIFETIME_S = 3_600;
/** Of all accounts: making one takes long. */
const KEYS = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const INTERACTIONS =
  /^\/v1beta1\/projects\/fake-project-1\/locations\/([a-z0-9-]+)\/interactions(?:\/([^/]+))?$/;
const MODELS = /^\/v1beta1\/publishers\/google\/models(?:\/([^/]+))?$/;

/** Of an account that is not known. */
export const STRANGERS_KEY_FILE = keyFileOf('stranger@fake-project-1.iam.gserviceaccount.com');

/** Gemini in Vertex AI: the same interactions, for the access tokens of a service account. Has the Gemini API as well. */
export class FakeVertex extends FakeGemini {
  /** Of the only account that there is, as the console gives it out. */
  readonly keyFile = keyFileOf(EMAIL);
  /** Access tokens that were given out, the newest last. Those that are taken out no longer work. */
  readonly tokens: string[] = [];

  protected override async answer(call: VendorCall): Promise<VendorAnswer> {
    if (call.path === '/token') return this.#grant(call);
    if (!call.path.startsWith('/v1beta1/')) return await super.answer(call);
    if (!this.tokens.includes(call.headers.authorization?.replace(/^Bearer /, '') ?? ''))
      throw googleError(401, 'UNAUTHENTICATED', 'Request had invalid authentication credentials.');
    const interactions = INTERACTIONS.exec(call.path);
    if (interactions) return this.carryOut(call, 'interactions', interactions[2] ?? null);
    const models = MODELS.exec(call.path);
    if (models === null) throw googleError(404, 'NOT_FOUND', 'Not found.');
    if (models[1] !== undefined) return this.carryOut(call, 'models', models[1]);
    return {
      body: { publisherModels: ['gemini-3.8-flash', 'gemini-embedding-001', 'veo-9'].map(published) },
    };
  }

  #grant({ method, headers, body }: VendorCall): VendorAnswer {
    const form = new URLSearchParams(String(body));
    const isForm = headers['content-type'] === 'application/x-www-form-urlencoded';
    if (
      method !== 'POST' ||
      !isForm ||
      form.get('grant_type') !== 'urn:ietf:params:oauth:grant-type:jwt-bearer'
    )
      throw this.offence(new VendorError(400, { error: 'unsupported_grant_type' }));
    this.#check(form.get('assertion') ?? '');
    const token = `ya29.fake-access-token-${this.tokens.length + 1}`;
    this.tokens.push(token);
    return { body: { access_token: token, expires_in: LIFETIME_S, token_type: 'Bearer' } };
  }

  /** RFC 7523, with Google's own limits. */
  #check(assertion: string): void {
    const [header = '', claims = '', signature = ''] = assertion.split('.');
    const signed = Buffer.from(`${header}.${claims}`);
    if (!verify('RSA-SHA256', signed, KEYS.publicKey, Buffer.from(signature, 'base64url')))
      throw invalidGrant('Invalid JWT Signature.');
    const { alg, kid } = decoded(header);
    const { iss, scope, aud, iat, exp } = decoded(claims);
    if (alg !== 'RS256' || kid !== 'key-1' || iss !== EMAIL || scope !== SCOPE)
      throw invalidGrant('Invalid grant: account not found');
    if (aud !== 'https://oauth2.googleapis.com/token')
      throw invalidGrant('Invalid JWT: Failed audience check.');
    if (Number(exp) - Number(iat) !== LIFETIME_S)
      throw invalidGrant('Invalid JWT: Token must be a short-lived token (60 minutes)');
  }
}

/** As the console gives it out. */
function keyFileOf(email: string): string {
  return JSON.stringify({
    type: 'service_account',
    project_id: 'fake-project-1',
    private_key_id: 'key-1',
    private_key: KEYS.privateKey.export({ type: 'pkcs8', format: 'pem' }),
    client_email: email,
    token_uri: 'https://evil.example/token',
  });
}

function decoded(part: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(part, 'base64url').toString());
}

function published(id: string): object {
  return { name: `publishers/google/models/${id}`, launchStage: 'GA' };
}

function invalidGrant(description: string): VendorError {
  return new VendorError(400, { error: 'invalid_grant', error_description: description });
}
