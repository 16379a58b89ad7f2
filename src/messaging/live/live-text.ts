import type { Address } from '../../base/address.ts';
import { GatewayError } from '../../base/errors.ts';
import { type Clock, pause, TimeLimit } from '../../base/time.ts';
import type { LiveMessage, LiveOutcome, ShowsWriting } from '../../connectors/contract/live-message.ts';
import type { LiveLine } from './live-line.ts';
import { settled, showable } from './showable.ts';

/** A message that is whole within this time is never shown before. */
const FIRST_MS = 120;
const ASK_MS = 5_000;
/** For a first request whose answer is not known when the message is whole. */
const MAX_TRIES = 3;
/** Slack lets some apps look once a minute. */
const LONGEST_PAUSE_MS = 65_000;
const NO_TEXT = '…';

export interface LiveTextDeps {
  readonly clock: Clock;
  readonly platform: ShowsWriting;
  readonly accountId: string;
  readonly to: Address;
  readonly key: string;
  readonly shownId: string | null;
  /** When an earlier process has made the first request, if its answer is not known. */
  readonly unclearSince: string | null;
  readonly line: LiveLine;
  /** Throws `send_failed` for a text that is too long. */
  readonly checkText: (text: string) => void;
  /** Called before the first request, and when the message has appeared. */
  readonly begun: () => Promise<void>;
  readonly appeared: (shownId: string) => Promise<void>;
  /** Called once nothing is shown any more, with whether anything was. */
  readonly leave: (wasShown: boolean) => void;
  /** Called when the whole message waits for its turn. */
  readonly waiting: () => void;
}

/** One message, which people see while it is written. */
export class LiveText {
  readonly #deps: LiveTextDeps;
  #shownId: string | null;
  #isNew: boolean;
  /** The answer to the first request, of this process or an earlier one, is not known. */
  #unclearSince: string | null;
  #source = '';
  /** Of the last request that was answered. */
  #askedSource = '';
  #shown = '';
  /** What shows the text as long as it grows; null: it is shown as it is. */
  #showing: Promise<void> | null = null;
  /** Aborts when no more is shown. */
  readonly #over = new AbortController();
  #hasEnded = false;
  #firstMs: number | null = null;
  /** When the conversation takes the next request. */
  #readyMs = 0;

  constructor(deps: LiveTextDeps) {
    this.#deps = deps;
    this.#shownId = deps.shownId;
    this.#isNew = deps.shownId === null;
    this.#unclearSince = deps.unclearSince;
    if (deps.platform.grows && deps.shownId !== null) this.#over.abort();
  }

  /** This is what is written so far, in Markdown. */
  write(source: string): void {
    if (this.#isOver || source === '' || source === this.#source) return;
    this.#source = source;
    if (this.#firstMs === null) {
      this.#firstMs = this.#deps.clock.monotonicMs();
      this.#readyMs = this.#firstMs + FIRST_MS;
    }
    this.#showing ??= this.#showAll();
  }

  /** The message is whole, or will not be: nothing is shown any more. Resolves when no request is under way. */
  async end(): Promise<void> {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    const { clock, line, leave, waiting, accountId } = this.#deps;
    this.#over.abort();
    await this.#showing;
    await this.#findOut();
    leave(!this.#isNew);
    // A reply that was there at once is sent at once.
    if (this.#firstMs === null || clock.monotonicMs() < this.#firstMs + FIRST_MS) return;
    waiting();
    await line.whole(accountId);
  }

  /** Whether the platform has the message is found out by asking again, with the same key: the whole one takes its place. */
  async #findOut(): Promise<void> {
    const { clock, line, platform } = this.#deps;
    if (platform.kind === 'draft') return;
    for (let tries = 1; this.#unclearSince !== null && !line.closing.aborted; tries++) {
      const pauseMs = await this.#show(showable(this.#source) || NO_TEXT);
      if (tries === MAX_TRIES) return;
      if (this.#unclearSince !== null) await pause(clock, Math.min(pauseMs, LONGEST_PAUSE_MS), line.closing);
    }
  }

  get #isOver(): boolean {
    return this.#over.signal.aborted;
  }

  /** Shows the text until it is shown as it is. Never rejects: what was not shown now is shown later, or with the whole message. */
  async #showAll(): Promise<void> {
    const { clock, line, accountId } = this.#deps;
    const { signal } = this.#over;
    while (!this.#isOver && this.#source !== this.#askedSource) {
      await pause(clock, Math.max(0, Math.ceil(this.#readyMs - clock.monotonicMs())), signal);
      await line.ask({ accountId, isUpdate: !this.#isNew }, signal, () => this.#ask());
    }
    this.#showing = null;
  }

  /** Returns for how long the login takes no further request; null: none was made. */
  async #ask(): Promise<number | null> {
    const { grows } = this.#deps.platform;
    const text = grows ? settled(this.#source) : showable(this.#source);
    this.#askedSource = this.#source;
    if (text === '' || (grows ? this.#shown.startsWith(text) : text === this.#shown)) return null;
    if (this.#fits(text)) return await this.#show(text);
    this.#over.abort();
    return null;
  }

  async #show(text: string): Promise<number> {
    const { clock, platform, to, key, begun } = this.#deps;
    const limit = new TimeLimit(clock, ASK_MS);
    const message = { to, key, text, shownId: this.#shownId, unclearSince: this.#unclearSince };
    try {
      if (this.#isNew) await begun();
      if (this.#isNew) this.#unclearSince ??= clock.nowIso();
      return await this.#took(message, await platform.show(message, limit.signal));
    } catch {
      this.#over.abort();
      return 0;
    } finally {
      limit.close();
      this.#readyMs = clock.monotonicMs() + platform.pace.everyMs;
    }
  }

  async #took({ text, unclearSince }: LiveMessage, outcome: LiveOutcome): Promise<number> {
    if (outcome.kind === 'later') {
      if (!outcome.isUnclear) this.#unclearSince = unclearSince;
      this.#askedSource = '';
      return outcome.afterMs;
    }
    this.#unclearSince = null;
    if (outcome.kind === 'refused') {
      this.#over.abort();
      return 0;
    }
    this.#isNew = false;
    if (outcome.isHint) this.#askedSource = '';
    else this.#shown = text;
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
