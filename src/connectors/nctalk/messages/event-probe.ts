import { randomBytes } from 'node:crypto';
import type { Clock } from '../../../base/time.ts';
import { pause } from '../../../base/waits.ts';
import type { TalkApi } from '../client.ts';
import { referenceOf } from './references.ts';

const REQUEST_MS = 15_000;
const ANSWERED_WITHIN_MS = 15_000;

export interface EventProbeDeps {
  readonly api: TalkApi;
  readonly clock: Clock;
  /** The addon's id with its brand, such as `chamade_talk`. */
  readonly appId: string;
  readonly signal: AbortSignal;
}

/** Finds out whether the Nextcloud calls the addon, and the addon the gateway, when something is written. */
export class EventProbe {
  readonly #deps: EventProbeDeps;
  readonly #nonce = randomBytes(16).toString('hex');
  readonly #answered = new AbortController();

  constructor(deps: EventProbeDeps) {
    this.#deps = deps;
  }

  /** The addon has called because of a marker. */
  returned(nonce: string): void {
    if (nonce === this.#nonce) this.#answered.abort();
  }

  /** Posts the marker in a room, without a notification. Resolves with whether the addon has called. */
  async run(token: string): Promise<boolean> {
    const { api, clock, appId, signal } = this.#deps;
    const options = { deadlineMs: REQUEST_MS, signal };
    const text = `__${appId.replace(/_talk$/, '')}_probe:${this.#nonce}__`;
    const id = await api.post(
      { token, text, referenceId: referenceOf(this.#nonce), isSilent: true },
      options,
    );
    await pause(clock, ANSWERED_WITHIN_MS, AbortSignal.any([signal, this.#answered.signal]));
    await api.deleteMessage(token, id, options).catch(() => undefined);
    return this.#answered.signal.aborted;
  }
}
