import type { Address } from '../../base/address.ts';
import { GatewayError } from '../../base/errors.ts';
import { type Clock, pause, TimeLimit } from '../../base/time.ts';
import type { LiveOutcome, ShowsWriting } from '../../connectors/contract/live-message.ts';
import type { LiveLine, Waiting } from './live-line.ts';
import { showable } from './showable.ts';

/** A message that is whole within this time is never shown before. */
const FIRST_MS = 120;
const ASK_MS = 5_000;
/** For a first request whose answer is not known when the message is whole. */
const MAX_TRIES = 2;
const AGAIN_MS = 1_000;
const NO_TEXT = '…';

export interface LiveTextDeps {
  readonly clock: Clock;
  readonly platform: ShowsWriting;
  readonly accountId: string;
  readonly to: Address;
  readonly key: string;
  readonly shownId: string | null;
  /** An earlier process has made the first request, and its answer is not known. */
  readonly mayBeShown: boolean;
  readonly line: LiveLine;
  /** Throws `send_failed` for a text that is too long. */
  readonly checkText: (text: string) => void;
  /** Called before the first request, and when the message has appeared. */
  readonly begun: () => Promise<void>;
  readonly appeared: (shownId: string) => Promise<void>;
  readonly leave: () => void;
  /** Called when the whole message waits for its turn. */
  readonly waiting: () => void;
}

/** One message, which people see while it is written. */
export class LiveText implements Waiting {
  readonly #deps: LiveTextDeps;
  #shownId: string | null;
  #isNew: boolean;
  /** The answer to the first request, of this process or an earlier one, is not known. */
  #mayBeShown: boolean;
  #source = '';
  /** Of the last request that was answered. */
  #askedSource = '';
  #shown = '';
  /** Becomes the request in progress. */
  #asking: Promise<unknown> | null = null;
  /** No more is shown. */
  #isOver = false;
  #hasEnded = false;
  #firstMs: number | null = null;
  readyMs = 0;

  constructor(deps: LiveTextDeps) {
    this.#deps = deps;
    this.#shownId = deps.shownId;
    this.#isNew = deps.shownId === null;
    this.#mayBeShown = deps.mayBeShown;
  }

  get accountId(): string {
    return this.#deps.accountId;
  }

  get isUpdate(): boolean {
    return !this.#isNew;
  }

  /** This is what is written so far, in Markdown. */
  write(source: string): void {
    if (this.#isOver || source === '' || source === this.#source) return;
    this.#source = source;
    if (this.#firstMs === null) {
      this.#firstMs = this.#deps.clock.monotonicMs();
      this.readyMs = this.#firstMs + FIRST_MS;
    }
    this.#wait();
  }

  /** The message is whole, or will not be: nothing is shown any more. Resolves when no request is under way. */
  async end(): Promise<void> {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    const { clock, line, leave, waiting, accountId } = this.#deps;
    this.#isOver = true;
    line.remove(this);
    await this.#asking;
    await this.#findOut();
    leave();
    // A reply that was there at once is sent at once.
    if (this.#firstMs === null || clock.monotonicMs() < this.#firstMs + FIRST_MS) return;
    waiting();
    await line.whole(accountId);
  }

  /** Whether the platform has the message is found out by asking again, with the same key: the whole one takes its place. */
  async #findOut(): Promise<void> {
    const { clock, line, platform } = this.#deps;
    if (platform.kind === 'draft') return;
    for (let tries = 0; tries < MAX_TRIES && this.#mayBeShown; tries++) {
      if (tries > 0) await pause(clock, AGAIN_MS, line.closing);
      await this.#show(showable(this.#source) || NO_TEXT);
    }
  }

  async ask(): Promise<number> {
    const asking = this.#ask();
    this.#asking = asking;
    const pauseMs = await asking;
    this.#asking = null;
    this.#wait();
    return pauseMs;
  }

  #wait(): void {
    if (!this.#isOver && this.#asking === null && this.#source !== this.#askedSource)
      this.#deps.line.add(this);
  }

  /** Never rejects: what was not shown now is shown later, or with the whole message. */
  async #ask(): Promise<number> {
    const source = this.#source;
    const text = showable(source);
    this.#askedSource = source;
    if (text === '' || text === this.#shown) return 0;
    if (!this.#fits(text)) {
      this.#isOver = true;
      return 0;
    }
    return await this.#show(text);
  }

  async #show(text: string): Promise<number> {
    const { clock, platform } = this.#deps;
    const limit = new TimeLimit(clock, ASK_MS);
    try {
      if (this.#isNew) await this.#deps.begun();
      this.#mayBeShown = true;
      return await this.#took(text, await platform.show({ ...this.#message, text }, limit.signal));
    } catch {
      this.#isOver = true;
      return 0;
    } finally {
      limit.close();
      this.readyMs = clock.monotonicMs() + platform.pace.everyMs;
    }
  }

  get #message() {
    const { to, key } = this.#deps;
    return { to, key, shownId: this.#shownId };
  }

  async #took(text: string, outcome: LiveOutcome): Promise<number> {
    if (outcome.kind === 'later') {
      this.#askedSource = '';
      return outcome.afterMs;
    }
    this.#mayBeShown = false;
    if (outcome.kind === 'refused') {
      this.#isOver = true;
      return 0;
    }
    this.#shown = text;
    this.#isNew = false;
    if (outcome.shownId !== null && outcome.shownId !== this.#shownId) {
      this.#shownId = outcome.shownId;
      await this.#deps.appeared(outcome.shownId);
    }
    return 0;
  }

  #fits(text: string): boolean {
    try {
      this.#deps.checkText(text);
      return true;
    } catch (error) {
      if (error instanceof GatewayError) return false;
      throw error;
    }
  }
}
