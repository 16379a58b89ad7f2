import { type Credentials, JsonApi, keyIn } from '../http/json-api.ts';
import { OAuthToken } from '../http/oauth-token.ts';
import { unusable } from '../model-fault.ts';
import type { ModelDeps, ModelSettings } from '../model-provider.ts';
import { readError } from './gemini-faults.ts';
import { assertionOf, readServiceAccount } from './service-account.ts';

/** Where one agent's requests to Gemini go, and what proves that they are allowed. */
export interface GeminiAccess {
  readonly host: string;
  readonly credentials: Credentials;
  /** Path of the interactions; one of them is at `/<id>` below it. */
  readonly interactions: string;
  /** Path of the models that there are; one of them is at `/<id>` below it. */
  readonly models: string;
}

const HOST = 'https://generativelanguage.googleapis.com';
const TOKEN_HOST = 'https://oauth2.googleapis.com';
const GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const TOKEN_MARGIN_MS = 60_000;
/** The location becomes part of a host name. */
const LOCATION = /^[a-z]+(?:-[a-z]+\d{1,2})?$/;
const WHOLE_CONTINENTS: ReadonlySet<string> = new Set(['us', 'eu']);

/** The API that an access leads to. */
export function geminiApi({ host, credentials }: GeminiAccess, { http, clock }: ModelDeps): JsonApi {
  return new JsonApi({ http, clock, baseUrl: host, credentials, readError, isRepeatable: true });
}

/** Throws ModelFault `bad_request` when the settings do not give access. An API key comes first. */
export function geminiAccess(settings: ModelSettings, deps: ModelDeps): GeminiAccess {
  const { api_key: key = '', service_account: account = '' } = settings.secrets;
  if (key !== '') return accessByKey(key, deps.urls.gemini ?? HOST);
  if (account !== '') return accessByAccount(account, settings, deps);
  throw unusable('api_key is missing, or service_account');
}

/** The key goes into a header: URLs are logged on their way. https://ai.google.dev/gemini-api/docs/api-key */
function accessByKey(key: string, host: string): GeminiAccess {
  const credentials = keyIn({ 'x-goog-api-key': key }, key);
  return { host, credentials, interactions: '/v1/interactions', models: '/v1/models' };
}

/** Vertex AI. Keys without a project are no use there: interactions belong to one. */
function accessByAccount(json: string, { config }: ModelSettings, deps: ModelDeps): GeminiAccess {
  const account = readServiceAccount(json);
  const { project = account.project ?? '', location = 'global' } = config;
  if (project === '') throw unusable('project is missing');
  if (!LOCATION.test(location)) throw unusable('location must be one of Google Cloud, such as europe-west4');
  const { http, clock, urls } = deps;
  const credentials = new OAuthToken({
    http,
    clock,
    url: `${urls.gemini ?? TOKEN_HOST}/token`,
    issuer: 'Google',
    form: () => ({ grant_type: GRANT, assertion: assertionOf(account, clock.nowIso()) }),
    secrets: [],
    marginMs: TOKEN_MARGIN_MS,
  });
  return {
    host: urls.gemini ?? vertexHost(location),
    credentials,
    interactions: `/v1beta1/projects/${encodeURIComponent(project)}/locations/${location}/interactions`,
    models: '/v1beta1/publishers/google/models',
  };
}

function vertexHost(location: string): string {
  if (location === 'global') return 'https://aiplatform.googleapis.com';
  if (WHOLE_CONTINENTS.has(location)) return `https://aiplatform.${location}.rep.googleapis.com`;
  return `https://${location}-aiplatform.googleapis.com`;
}
