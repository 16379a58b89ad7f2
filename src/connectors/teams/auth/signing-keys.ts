import { type CryptoKey, importJWK } from 'jose';
import * as z from 'zod';
import { field } from '../../../base/platform-json.ts';
import type { Clock } from '../../../base/time.ts';
import { PlatformHttp } from '../../kit/platform-http.ts';

export const ALGORITHM = 'RS256';

/** "Keys should be refreshed at least once every 24 hours." */
const FRESH_MS = 24 * 3_600_000;
/** Keys that cannot be refreshed are trusted for another day. */
const LONGEST_MS = 2 * FRESH_MS;
/** A stranger may name any key: unknown ones are asked for this often. */
const PAUSE_MS = 300_000;
const PAUSE_AFTER_FAILURE_MS = 5_000;
const DEADLINE_MS = 5_000;
const MAX_ANSWER_BYTES = 524_288;
const MAX_KEYS = 200;

const Metadata = z.object({ issuer: z.string(), jwks_uri: z.string() });
const Key = z.object({
  kty: z.literal('RSA'),
  kid: z.string().min(1),
  n: z.string(),
  e: z.string(),
  endorsements: field(z.array(z.string())),
});
const KeySet = z.object({ keys: z.array(z.unknown()).max(MAX_KEYS) });

/** A key with the channels whose activities it may sign. */
export interface SigningKey {
  readonly key: CryptoKey;
  readonly endorsements: readonly string[];
}

export interface SigningKeysOptions {
  /** The Bot Connector's OpenID metadata. */
  readonly openIdUrl: string;
  readonly issuer: string;
}

/** The keys with which the Bot Connector signs its tokens, in memory. */
export class SigningKeys {
  readonly #options: SigningKeysOptions;
  readonly #clock: Clock;
  readonly #http: PlatformHttp;
  #keys: ReadonlyMap<string, SigningKey> = new Map();
  #readAtMs = Number.NEGATIVE_INFINITY;
  #nextReadMs = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | null = null;

  constructor(options: SigningKeysOptions, clock: Clock) {
    this.#options = options;
    this.#clock = clock;
    this.#http = new PlatformHttp('The Bot Connector', clock, MAX_ANSWER_BYTES);
  }

  /** Whether it is certain now that no such key exists. */
  isUnknown(kid: string): boolean {
    return !this.#keys.has(kid) && this.#isUsable && !this.#mayRead;
  }

  /** Null: the Bot Connector has no such key. Rejects when it cannot be asked. */
  async find(kid: string): Promise<SigningKey | null> {
    const isOld = this.#ageMs > FRESH_MS;
    if ((isOld || !this.#keys.has(kid)) && this.#mayRead) await this.#read();
    if (!this.#isUsable) throw new Error('the keys of the Bot Connector are not known');
    return this.#keys.get(kid) ?? null;
  }

  get #ageMs(): number {
    return this.#clock.monotonicMs() - this.#readAtMs;
  }

  get #isUsable(): boolean {
    return this.#ageMs < LONGEST_MS;
  }

  get #mayRead(): boolean {
    return this.#reading !== null || this.#clock.monotonicMs() >= this.#nextReadMs;
  }

  /** Never rejects: older keys are still there. */
  async #read(): Promise<void> {
    this.#reading ??= this.#readOnce().finally(() => {
      this.#reading = null;
    });
    await this.#reading;
  }

  async #readOnce(): Promise<void> {
    try {
      this.#keys = await this.#fetchKeys();
      this.#readAtMs = this.#clock.monotonicMs();
      this.#nextReadMs = this.#readAtMs + PAUSE_MS;
    } catch {
      this.#nextReadMs = this.#clock.monotonicMs() + PAUSE_AFTER_FAILURE_MS;
    }
  }

  async #fetchKeys(): Promise<ReadonlyMap<string, SigningKey>> {
    const { openIdUrl, issuer } = this.#options;
    const metadata = Metadata.parse(await this.#get(openIdUrl));
    if (metadata.issuer !== issuer || new URL(metadata.jwks_uri).origin !== new URL(openIdUrl).origin)
      throw new Error('the OpenID metadata is of another issuer');
    const { keys } = KeySet.parse(await this.#get(metadata.jwks_uri));
    return new Map(await Promise.all(keys.flatMap((key) => Key.safeParse(key).data ?? []).map(imported)));
  }

  async #get(url: string): Promise<unknown> {
    const { isOk, status, json } = await this.#http.ask({ method: 'GET', url, deadlineMs: DEADLINE_MS });
    if (!isOk) throw new Error(`HTTP status ${status}`);
    return json;
  }
}

async function imported({
  endorsements = [],
  kid,
  ...jwk
}: z.output<typeof Key>): Promise<readonly [string, SigningKey]> {
  return [kid, { key: (await importJWK(jwk, ALGORITHM)) as CryptoKey, endorsements }];
}
