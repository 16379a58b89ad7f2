import type { CancelTimer, Clock } from '../../base/time.ts';
import { type AudioFormat, nearestFormat } from '../audio-format.ts';
import type { SpeechFault } from '../speech-fault.ts';
import type { SpeechPreset } from '../speech-preset.ts';
import type { VendorMessage } from '../vendor-message.ts';
import type { VendorSocketDeps } from '../vendor-socket.ts';
import { endpointOf, type VendorManners } from '../vendors/vendor-manners.ts';
import type { AudioBacklog } from './audio-backlog.ts';
import { type AudioManners, AudioUplink } from './audio-uplink.ts';
import { type Heard, HeardUtterance } from './heard.ts';
import type { NewRecognizer, Recognized, Recognizer, RecognizerObserver } from './recognizer.ts';

/** What is heard and not settled: it may still change. */
export interface Open extends Heard {
  /** The audio that it covers. `untilMs` null: all that is sent. */
  readonly fromMs: number;
  readonly untilMs: number | null;
  /** Returns what of it began before this time, where the vendor tells the times of words. */
  readonly before?: (heardMs: number) => Open | null;
}

/** What a message says, in the order in which it counts. What it leaves out stays as it is. */
export interface Reading {
  readonly fault?: SpeechFault;
  /** The vendor takes audio from now on. Only for vendors with a `beginDeadlineMs`. */
  readonly begins?: boolean;
  readonly turn?: 'started' | 'ended';
  /** The audio so far is covered by results. Null: no time is known. */
  readonly settledMs?: number | null;
  /** It no longer changes, and takes the place of what was open. */
  readonly settled?: Heard;
  /** `settled` takes the place of the last settled one. Ignored if that has been reported. */
  readonly isAgain?: boolean;
  readonly open?: Open | null;
  /** What is settled is reported when nothing follows in this time. */
  readonly waitMs?: number;
  /** What is settled is reported now, and the turn is over. */
  readonly isEnd?: boolean;
  /** Nothing else follows after `close`. */
  readonly isLast?: boolean;
}

/** What a recognizer knows of the audio, and of what was understood in it. */
export interface HeardSoFar {
  readonly backlog: AudioBacklog;
  readonly open: Open | null;
}

/** How a vendor recognizes speech. */
export interface SttDialect extends AudioManners {
  /** ws: or wss:, without secrets. */
  readonly url: string;
  readonly chunkMs: number;
  /** Between the settled parts of an utterance. Null: each part is an utterance. */
  readonly separator: string | null;
  /** A settled part, too, is told as an interim result. */
  readonly showsSettled?: boolean;
  /** What is open when the session ends gets the times of its audio. */
  readonly isTimedByAudio?: boolean;
  /** The vendor says so when it takes audio, in this time. */
  readonly beginDeadlineMs?: number;
  /** A turn during which no audio comes is sent silence, `most` times. */
  readonly gaps?: { readonly everyMs: number; readonly most: number };
  read(message: VendorMessage, soFar: HeardSoFar): Reading | null;
  /** What asks for results: a message, or silence of so many ms. Null: there is nothing to ask for. */
  flush(soFar: HeardSoFar): string | number | (() => string) | null;
  /** Whether it is time to ask for results. */
  mustFlush?(soFar: HeardSoFar): boolean;
  /** The last messages. Without any, the connection is closed at once. */
  farewell(soFar: HeardSoFar): readonly string[];
  /** Nothing more of this connection follows. */
  reset?(): void;
}

export interface SttVendor {
  readonly manners: VendorManners;
  /** At 8 kHz it takes µ-law. */
  readonly ratesHz: readonly [number, ...number[]];
  newDialect(parts: DialectParts): SttDialect;
}

export interface DialectParts {
  readonly preset: SpeechPreset;
  readonly format: AudioFormat;
  readonly clock: Clock;
  /** Takes what is read of a message later on. */
  readonly apply: (reading: Reading) => void;
}

/** Returns the function that makes recognizers of this vendor. */
export function recognizerBy(vendor: SttVendor, deps: VendorSocketDeps): NewRecognizer {
  return (preset, rateHz, observer) =>
    new StreamRecognizer(vendor, { preset, format: nearestFormat(vendor.ratesHz, rateHz) }, deps, observer);
}

/**
 * Speech-to-text by a vendor over a WebSocket. What was heard but not settled when a connection is lost is heard again
 * over the next one, unless its audio is no longer there: then what is known of it must do.
 */
class StreamRecognizer implements Recognizer {
  readonly format: AudioFormat;
  readonly #title: string;
  readonly #clock: Clock;
  readonly #observer: RecognizerObserver;
  readonly #dialect: SttDialect;
  readonly #uplink: AudioUplink;
  readonly #utterance: HeardUtterance;
  #open: Open | null = null;
  #isTurnOpen = false;
  #cancelWait: CancelTimer = () => {};
  #cancelGap: CancelTimer = () => {};
  #cancelDeadline: CancelTimer = () => {};

  constructor(
    { manners, newDialect }: SttVendor,
    { preset, format }: Pick<DialectParts, 'preset' | 'format'>,
    deps: VendorSocketDeps,
    observer: RecognizerObserver,
  ) {
    const { clock } = deps;
    this.format = format;
    this.#title = manners.title;
    this.#clock = clock;
    this.#observer = observer;
    const dialect = newDialect({ preset, format, clock, apply: (reading) => this.#apply(reading) });
    this.#dialect = dialect;
    this.#utterance = new HeardUtterance(dialect.separator ?? ' ');
    this.#uplink = new AudioUplink(
      { ...dialect, format, endpoint: endpointOf(manners, dialect.url, preset.key) },
      deps,
      {
        opened: () => this.#opened(),
        message: (message) => this.#take(message),
        lost: (isOver) => this.#lose(isOver),
      },
      observer,
    );
  }

  get chunkMs(): number {
    return this.#dialect.chunkMs;
  }

  hear(chunk: Uint8Array): void {
    this.#uplink.hear(chunk);
    if (this.#isTurnOpen) this.#fillGaps();
    if (this.#dialect.mustFlush?.(this.#soFar)) this.flush();
  }

  flush(): void {
    const wanted = this.#dialect.flush(this.#soFar);
    if (wanted === null) return;
    this.#uplink.flush(() => {
      if (typeof wanted === 'number') return this.#uplink.silence(wanted);
      return typeof wanted === 'string' ? wanted : wanted();
    });
  }

  async close(): Promise<void> {
    await this.#uplink.close(...this.#dialect.farewell(this.#soFar));
    this.#cancelDeadline();
    this.#dialect.reset?.();
    this.#endAll();
  }

  get #soFar(): HeardSoFar {
    return { backlog: this.#uplink.backlog, open: this.#open };
  }

  /** Where the vendor says later that it takes audio, a wrong key is told instead. */
  #opened(): void {
    const { beginDeadlineMs } = this.#dialect;
    if (beginDeadlineMs === undefined) return this.#begin();
    this.#cancelDeadline = this.#clock.after(beginDeadlineMs, () => {
      this.#uplink.drop({ kind: 'unreachable', words: `${this.#title} did not begin the session` });
    });
  }

  #begin(): void {
    this.#cancelDeadline();
    const { backlog } = this.#uplink;
    const gone = this.#open && beforeOf(this.#open, backlog.oldestMs);
    if (gone) {
      backlog.settle(gone.untilMs ?? backlog.sentMs);
      this.#open = gone;
      this.#endAll();
    }
    this.#open = null;
    this.#uplink.begin();
  }

  #take(message: VendorMessage): void {
    const reading = this.#dialect.read(message, this.#soFar);
    if (reading?.fault) this.#uplink.drop(reading.fault);
    else if (reading) this.#apply(reading);
  }

  #apply(reading: Reading): void {
    const { begins, turn, settledMs = null, settled, isAgain = false, open, isEnd, isLast } = reading;
    if (isAgain && this.#utterance.isEmpty) return;
    if (begins) this.#begin();
    if (turn) this.#change(turn);
    if (settledMs !== null) this.#uplink.backlog.settle(settledMs);
    if (settled) this.#settle(settled, isAgain);
    if (open !== undefined) this.#open = open;
    if (isEnd || (this.#isJoined && this.#utterance.isFull)) this.#end();
    else this.#tell(reading);
    if (isLast) this.#uplink.finish();
  }

  get #isJoined(): boolean {
    return this.#dialect.separator !== null;
  }

  #settle(settled: Heard, isAgain: boolean): void {
    this.#open = null;
    if (isAgain) this.#utterance.take();
    else if (!this.#isJoined) this.#report();
    this.#utterance.add(settled);
  }

  #tell({ settled, open, waitMs }: Reading): void {
    const shown = open ?? (this.#dialect.showsSettled ? settled : undefined);
    if (shown && shown.text !== '') {
      if (this.#isJoined) this.#cancelWait();
      const interim = this.#said(open ?? null);
      if (interim) this.#observer.interim(interim);
    }
    if (waitMs === undefined || this.#utterance.isEmpty) return;
    this.#cancelWait();
    this.#cancelWait = this.#clock.after(waitMs, () => this.#report());
  }

  #said(open: Open | null): Recognized | null {
    return this.#isJoined ? this.#utterance.with(open) : new HeardUtterance('').with(open);
  }

  /** Reports what is settled. */
  #report(): void {
    this.#cancelWait();
    const said = this.#utterance.take();
    if (said) this.#observer.final(said);
  }

  #end(): void {
    this.#report();
    this.#change('ended');
  }

  /** Reports what is open, too. */
  #endAll(): void {
    const open = this.#open;
    this.#open = null;
    if (!this.#isJoined) this.#report();
    if (open) this.#utterance.add(this.#dialect.isTimedByAudio ? this.#timed(open) : open);
    this.#end();
  }

  #timed(open: Open): Heard {
    return { ...open, startMs: open.fromMs, endMs: open.untilMs ?? this.#uplink.backlog.sentMs };
  }

  /** What is settled is reported now, because no end follows. Whether a turn is recognized again is not known. */
  #lose(isOver: boolean): void {
    this.#cancelDeadline();
    this.#dialect.reset?.();
    if (isOver) return this.#endAll();
    this.#change('ended');
    this.#report();
  }

  #change(state: 'started' | 'ended'): void {
    const isOpen = state === 'started';
    if (isOpen === this.#isTurnOpen) return;
    this.#isTurnOpen = isOpen;
    if (isOpen) this.#fillGaps();
    else this.#cancelGap();
    this.#observer.turn(state);
  }

  #fillGaps(count = this.#dialect.gaps?.most ?? 0): void {
    const { gaps } = this.#dialect;
    this.#cancelGap();
    if (gaps === undefined || count === 0) return;
    this.#cancelGap = this.#clock.after(gaps.everyMs, () => {
      // Silence would come into the middle of a word.
      if (this.#uplink.backlog.unsentMs > 0) return this.#fillGaps(count);
      this.#uplink.sendSilence(gaps.everyMs);
      this.#fillGaps(count - 1);
    });
  }
}

/** What began before this time. */
function beforeOf(open: Open, heardMs: number): Open | null {
  if (open.before) return open.before(heardMs);
  return open.fromMs < heardMs ? open : null;
}
