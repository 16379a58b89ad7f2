import type { Deadlines } from '../../../base/deadlines.ts';
import type { CancelTimer } from '../../../base/time.ts';
import type { Wakeups } from '../../../messaging/inbox/wakeups.ts';
import type { Principal } from '../../auth/principal.ts';
import type { Transcripts } from '../mcp-contents.ts';
import { KEEP_ALIVE_MS } from '../rpc-message.ts';
import { WakeSignal } from '../wake-signal.ts';

export interface WatchDeps {
  readonly wakeups: Wakeups;
  readonly transcripts: Transcripts;
  readonly deadlines: Deadlines;
}

/** Notifies one stream when there is something to send, until it ends or its client disconnects. */
export class ChannelWatch {
  /** Resources that changed since the stream last sent them. */
  readonly changed = new Set<string>();
  /** Whether the list of resources changed. */
  listHasChanged = false;
  readonly #wake = new WakeSignal();
  readonly #deadlines: Deadlines;
  readonly #signal: AbortSignal;
  readonly #end = (): void => this.end();
  readonly #unwatch: readonly (() => void)[];
  #cancelKeepAlive: CancelTimer = () => {};
  #isSilent = false;
  #isOver = false;

  constructor({ wakeups, transcripts, deadlines }: WatchDeps, principal: Principal, signal: AbortSignal) {
    this.#deadlines = deadlines;
    this.#signal = signal;
    this.#unwatch = [
      wakeups.watch(principal.accountId, () => this.#wake.raise()),
      transcripts.watch(principal, (uri) => {
        this.changed.add(uri);
        this.#wake.raise();
      }),
      transcripts.watchList(principal, () => {
        this.listHasChanged = true;
        this.#wake.raise();
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
    this.#wake.raise();
  }

  /**
   * Resolves when there may be something to send. True: a keep-alive is due, because nothing has happened for a while.
   */
  async isKeepAliveDue(): Promise<boolean> {
    this.#isSilent = false;
    this.#cancelKeepAlive = this.#deadlines.after(KEEP_ALIVE_MS, () => {
      this.#isSilent = true;
      this.#wake.raise();
    });
    await this.#wake.raised();
    this.#cancelKeepAlive();
    return this.#isSilent && !this.#isOver;
  }
}
