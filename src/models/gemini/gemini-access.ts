import { ModelFault } from '../model-fault.ts';
import type { ModelDeps, ModelSettings } from '../model-provider.ts';
import { AccessTokens } from './access-tokens.ts';
import { readServiceAccount } from './service-account.ts';

/** Where one agent's requests to Gemini go, and what proves that they may. */
export interface GeminiAccess {
  /** Interactions are at `/interactions` below it. */
  readonly base: string;
  /** The models that there are; one of them at `/<id>` below it. */
  readonly models: string;
  /** To be kept out of words that are shown: those that were in use last. */
  readonly secrets: readonly string[];
  /** Rejects with a ModelFault, and with the signal's reason once it aborts. */
  headers(signal: AbortSignal): Promise<Readonly<Record<string, string>>>;
  /** Google took them for wrong. */
  rejected(): void;
}

const HOST = 'https://generativelanguage.googleapis.com';
const TOKEN_HOST = 'https://oauth2.googleapis.com';
/** The location becomes part of a host name. */
const LOCATION = /^[a-z]+(?:-[a-z]+\d{1,2})?$/;
const WHOLE_CONTINENTS: ReadonlySet<string> = new Set(['us', 'eu']);

/** Throws ModelFault `bad_request` when the settings do not give access. An API key comes first. */
export function geminiAccess(settings: ModelSettings, deps: ModelDeps): GeminiAccess {
  const { api_key: key = '', service_account: account = '' } = settings.secrets;
  if (key !== '') return accessByKey(key, deps.urls.gemini ?? HOST);
  if (account !== '') return accessByAccount(account, settings, deps);
  throw unusable('api_key is missing, or service_account');
}

/** The key goes into a header: URLs are logged on their way. https://ai.google.dev/gemini-api/docs/api-key */
function accessByKey(key: string, host: string): GeminiAccess {
  const base = `${host}/v1`;
  return {
    base,
    models: `${base}/models`,
    secrets: [key],
    headers: async () => ({ 'x-goog-api-key': key }),
    rejected: () => {},
  };
}

/** Vertex AI. Keys without a project are no use there: interactions belong to one. */
function accessByAccount(json: string, { config }: ModelSettings, deps: ModelDeps): GeminiAccess {
  const account = readServiceAccount(json);
  const { project = account.project ?? '', location = 'global' } = config;
  if (project === '') throw unusable('project is missing');
  if (!LOCATION.test(location)) throw unusable('location must be one of Google Cloud, such as europe-west4');
  const host = deps.urls.gemini ?? vertexHost(location);
  const url = `${deps.urls.gemini ?? TOKEN_HOST}/token`;
  const tokens = new AccessTokens({ account, url, http: deps.http, clock: deps.clock });
  return {
    base: `${host}/v1beta1/projects/${encodeURIComponent(project)}/locations/${location}`,
    models: `${host}/v1beta1/publishers/google/models`,
    get secrets() {
      return [tokens.held];
    },
    headers: async (signal) => ({ authorization: `Bearer ${await tokens.current(signal)}` }),
    rejected: () => tokens.forget(),
  };
}

function vertexHost(location: string): string {
  if (location === 'global') return 'https://aiplatform.googleapis.com';
  if (WHOLE_CONTINENTS.has(location)) return `https://aiplatform.${location}.rep.googleapis.com`;
  return `https://${location}-aiplatform.googleapis.com`;
}

function unusable(words: string): ModelFault {
  return new ModelFault('bad_request', { words });
}
