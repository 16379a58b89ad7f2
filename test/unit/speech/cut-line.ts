import type { SpeechSockets } from '../../fakes/speech-sockets.ts';
import type { ManualClock } from '../../support/manual-clock.ts';
import { waitFor } from '../../support/wait-for.ts';
import type { RecordedRecognition } from './recorded-recognition.ts';

/** A cut of a connection, and where: with chunks on their way, after they are answered, before or after an answer. */
export interface Cut {
  /** Beyond what makes a connection stable. */
  readonly afterMs: number;
  readonly place: 'on the way' | 'answered' | 'before an answer' | 'after an answer';
}

interface Line {
  readonly clock: ManualClock;
  readonly fake: SpeechSockets;
  readonly recorded: RecordedRecognition;
}

/** After this a connection counts as stable. A paced vendor has also caught up with what the last cut held back. */
const STABLE_MS = 10_000;
/** When a recognizer connects again, at the earliest. */
const RETRY_MS = 500;

/** The connection between a recognizer and its vendor, cut at chosen places while somebody speaks in the test's time. */
export class CutLine {
  cutCount = 0;
  readonly #line: Line;
  readonly #cuts: Cut[];
  /** After so many chunks everything sent has arrived, and so have its answers. */
  readonly #chunksOnTheWay: number;
  #chunk = 0;
  #dueAtMs: number;
  /** A cut that waits for the vendor's next answer. */
  #isArmed = false;
  #isCut = false;
  /** When the recognizer has noticed the cut. */
  #noticedAtMs: number | null = null;

  constructor(line: Line, cuts: readonly Cut[], chunksOnTheWay: number) {
    this.#line = line;
    this.#cuts = [...cuts];
    this.#chunksOnTheWay = chunksOnTheWay;
    this.#dueAtMs = cuts[0]?.afterMs ?? 0;
  }

  /** Whether all cuts have been made and mended. */
  get isDone(): boolean {
    return this.#cuts.length === 0 && !this.#isArmed && !this.#isCut;
  }

  /** Lets the time of a chunk pass that the recognizer has just heard. */
  async afterChunk(chunkMs: number): Promise<void> {
    const { clock, fake } = this.#line;
    clock.advance(chunkMs);
    if (this.#isCut) return this.#mend();
    if (!this.#isArmed && clock.monotonicMs() >= this.#dueAtMs) await this.#make(this.#cuts.shift());
    else if (++this.#chunk % this.#chunksOnTheWay === 0) await fake.settled();
  }

  async #make(cut: Cut | undefined): Promise<void> {
    const { fake } = this.#line;
    switch (cut?.place) {
      case 'on the way':
        this.#cut();
        break;
      case 'answered':
        await fake.settled();
        this.#cut();
        break;
      case 'before an answer':
        this.#cutAtAnswer('cut');
        break;
      case 'after an answer':
        this.#cutAtAnswer('send, then cut');
        break;
      default:
        this.#dueAtMs = Number.POSITIVE_INFINITY;
    }
  }

  /** The recognizer notices, waits and connects again, and goes on hearing meanwhile. */
  async #mend(): Promise<void> {
    const { clock, fake } = this.#line;
    if (this.#noticedAtMs === null) {
      await waitFor('the loss', () => this.#count('disconnected unreachable') === this.cutCount);
      this.#noticedAtMs = clock.monotonicMs();
    } else if (clock.monotonicMs() >= this.#noticedAtMs + RETRY_MS) {
      await waitFor('a connection', () => this.#count('reconnected') === this.cutCount);
      this.#isCut = false;
      this.#noticedAtMs = null;
      this.#dueAtMs = clock.monotonicMs() + STABLE_MS + (this.#cuts[0]?.afterMs ?? 0);
      await fake.settled();
    }
  }

  #count(event: string): number {
    return this.#line.recorded.events.filter((each) => each === event).length;
  }

  #cut(): void {
    this.cutCount += 1;
    this.#isCut = true;
    this.#line.fake.cutAll();
  }

  #cutAtAnswer(delivery: 'cut' | 'send, then cut'): void {
    const { fake } = this.#line;
    this.#isArmed = true;
    fake.deliver = () => {
      fake.deliver = () => 'send';
      this.cutCount += 1;
      this.#isArmed = false;
      this.#isCut = true;
      return delivery;
    };
  }
}
