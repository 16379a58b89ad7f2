import type { Deadlines } from '../../base/deadlines.ts';
import type { CancelTimer } from '../../base/time.ts';
import type { Wakeups } from '../../messaging/wakeups.ts';
import type { Principal } from '../auth/principal.ts';
import { Bell } from './bell.ts';
import { KEEP_ALIVE_MS } from './rpc-message.ts';
import type { Transcripts } from './served.ts';

export interface WatchParts {
  readonly wakeups: Wakeups;
  readonly transcripts: Transcripts;
  readonly deadlines: Deadlines;
}

/** Looks out for what one stream has to tell, until it is ended or its client is gone. */
export class ChannelWatch {
  /** Resources that have changed since somebody took them out. */
  readonly changed = new Set<string>();
  /** Whether there are other resources now. */
  listHasChanged = false;
  readonly #bell = new Bell();
  readonly #deadlines: Deadlines;
  readonly #signal: AbortSignal;
  readonly #end = (): void => this.end();
  readonly #unwatch: readonly (() => void)[];
  #cancelKeepAlive: CancelTimer = () => {};
  #isSilent = false;
  #isOver = false;

  constructor({ wakeups, transcripts, deadlines }: WatchParts, principal: Principal, signal: AbortSignal) {
    this.#deadlines = deadlines;
    this.#signal = signal;
    this.#unwatch = [
      wakeups.watch(principal.accountId, () => this.#bell.ring()),
      transcripts.watch(principal, (uri) => {
        this.changed.add(uri);
        this.#bell.ring();
      }),
      transcripts.watchList(principal, () => {
        this.listHasChanged = true;
        this.#bell.ring();
      }),
    ];
    signal.addEventListener('abort', this.#end, { once: true });
    if (signal.aborted) this.end();
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    for (const unwatch of this.#unwatch) unwatch();
    this.#cancelKeepAlive();
    this.#signal.removeEventListener('abort', this.#end);
    this.#bell.ring();
  }

  /** Resolves when there may be something to tell; true: there was nothing for so long that a sign of life is due. */
  async hasBeenSilent(): Promise<boolean> {
    this.#isSilent = false;
    this.#cancelKeepAlive = this.#deadlines.after(KEEP_ALIVE_MS, () => {
      this.#isSilent = true;
      this.#bell.ring();
    });
    await this.#bell.heard();
    this.#cancelKeepAlive();
    return this.#isSilent && !this.#isOver;
  }
}
