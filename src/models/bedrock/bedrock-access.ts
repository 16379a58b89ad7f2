import { ModelFault } from '../model-fault.ts';
import type { ModelSettings } from '../model-provider.ts';
import { type AwsKeys, signed } from './sigv4.ts';

/** What proves that an agent's requests may use Bedrock. */
export type BedrockKey =
  | { readonly kind: 'bearer'; readonly token: string }
  | { readonly kind: 'keys'; readonly keys: AwsKeys };

const SERVICE = 'bedrock';
/** The region becomes part of a host name. */
const REGION = /^[a-z]{2}(?:-[a-z]+)+-\d$/;

export interface UnsignedRequest {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  /** Empty: no body. */
  readonly body: string;
}

/** Hosts of one region, and one agent's key. */
export class BedrockAccess {
  readonly region: string;
  /** Where models are called. */
  readonly runtime: string;
  /** Where models are listed. */
  readonly control: string;
  readonly #key: BedrockKey;

  constructor(region: string, key: BedrockKey, host: string | null) {
    this.region = region;
    this.runtime = host ?? `https://bedrock-runtime.${region}.amazonaws.com`;
    this.control = host ?? `https://bedrock.${region}.amazonaws.com`;
    this.#key = key;
  }

  /** To be kept out of words that are shown. */
  get secrets(): readonly string[] {
    if (this.#key.kind === 'bearer') return [this.#key.token];
    const { secret, sessionToken } = this.#key.keys;
    return [secret, sessionToken ?? ''];
  }

  /** `at`: ISO 8601. */
  headers(request: UnsignedRequest, at: string): Readonly<Record<string, string>> {
    if (this.#key.kind === 'bearer') return { authorization: `Bearer ${this.#key.token}` };
    return signed({ ...request, region: this.region, service: SERVICE, keys: this.#key.keys, at });
  }
}

/** Throws ModelFault `bad_request` when the settings do not give access. */
export function bedrockAccess({ config, secrets }: ModelSettings, host: string | null): BedrockAccess {
  const region = config.region ?? '';
  if (!REGION.test(region)) throw unusable('region must be the name of an AWS region, such as eu-west-3');
  return new BedrockAccess(region, keyOf({ config, secrets }), host);
}

/** A Bedrock key comes first: it can do nothing else. */
function keyOf({ config, secrets }: ModelSettings): BedrockKey {
  const { api_key: token = '', secret_access_key: secret = '', session_token: sessionToken } = secrets;
  const { access_key_id: id = '' } = config;
  if (token !== '') return { kind: 'bearer', token };
  if (id === '' && secret === '')
    throw unusable('api_key is missing, or access_key_id with secret_access_key');
  if (secret === '') throw unusable('access_key_id needs secret_access_key');
  if (id === '') throw unusable('secret_access_key needs access_key_id');
  return { kind: 'keys', keys: { id, secret, sessionToken: sessionToken || null } };
}

function unusable(words: string): ModelFault {
  return new ModelFault('bad_request', { words });
}
