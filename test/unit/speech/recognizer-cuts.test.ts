import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/base/time.ts';
import { DeepgramRecognizer } from '../../../src/speech/stt/deepgram/deepgram-recognizer.ts';
import { FluxRecognizer } from '../../../src/speech/stt/deepgram/flux-recognizer.ts';
import { ElevenLabsRecognizer } from '../../../src/speech/stt/elevenlabs/elevenlabs-recognizer.ts';
import type { Recognizer } from '../../../src/speech/stt/recognizer.ts';
import { DeepgramSttSocket } from '../../fakes/deepgram/stt-socket.ts';
import { ElevenLabsSttSocket } from '../../fakes/elevenlabs/stt-socket.ts';
import { SpeechHost } from '../../fakes/speech-host.ts';
import type { SpeechSockets } from '../../fakes/speech-sockets.ts';
import { GAP_MS, VOCABULARY, WORD_MS } from '../../fakes/tone-speech.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { waitFor } from '../../support/wait-for.ts';
import { RecordedRecognition } from './recorded-speech.ts';
import { Speaker } from './speaker.ts';

const KEY = 'key_0123456789abcdef';
/** Longer than any of the vendors needs to find the end of what was said. */
const PAUSE_MS = 1_000;
/** More than what makes a connection stable. */
const STABLE_MS = 5_000;
/** With FULL_CUTS, about a thousand cuts per vendor. */
const RUNS = process.env.FULL_CUTS ? 300 : 15;

interface Vendor {
  readonly name: string;
  readonly fake: (clock: ManualClock) => SpeechSockets;
  readonly Client: new (...args: ConstructorParameters<typeof DeepgramRecognizer>) => Recognizer;
  readonly options: Readonly<Record<string, unknown>>;
}

const VENDORS: readonly Vendor[] = [
  {
    name: 'Deepgram nova',
    fake: (clock) => new DeepgramSttSocket(KEY, clock),
    Client: DeepgramRecognizer,
    options: {},
  },
  {
    name: 'Deepgram Flux',
    fake: (clock) => new DeepgramSttSocket(KEY, clock),
    Client: FluxRecognizer,
    options: {},
  },
  {
    name: 'ElevenLabs',
    fake: (clock) => new ElevenLabsSttSocket(KEY, clock),
    Client: ElevenLabsRecognizer,
    options: { commit_strategy: 'vad', vad_silence_threshold_secs: 0.6 },
  },
];

/** Where a connection is cut: with a chunk on its way, after the vendor has answered it, before or after an answer. */
const CUT = fc.record({
  /** Percent of all that is said. */
  at: fc.nat({ max: 99 }),
  place: fc.constantFrom('on the way', 'answered', 'before an answer', 'after an answer'),
} as const);
type Cut = typeof CUT extends fc.Arbitrary<infer T> ? T : never;

const PHRASES = fc.array(fc.array(fc.constantFrom(...VOCABULARY), { minLength: 1, maxLength: 6 }), {
  minLength: 1,
  maxLength: 6,
});

describe.each(VENDORS)('$name: cuts at any place', ({ fake: newFake, Client, options }) => {
  it('loses, doubles and reorders no word', async () => {
    let cutCount = 0;
    const property = fc.asyncProperty(
      PHRASES,
      fc.array(CUT, { minLength: 1, maxLength: 8 }),
      async (phrases, cuts) => {
        const clock = new ManualClock();
        const fake = newFake(clock);
        const host = await SpeechHost.start(fake);
        const recorded = new RecordedRecognition();
        const preset = { url: host.url, key: KEY, options };
        const recognizer = new Client(preset, 8_000, { clock, random: () => 0 }, recorded);
        const lengthMs = phrases.reduce((sum, { length }) => sum + length * (WORD_MS + GAP_MS) + PAUSE_MS, 0);
        const chunks = Math.floor(lengthMs / recognizer.chunkMs);
        const places = new Map(cuts.map(({ at, place }) => [Math.floor((at * chunks) / 100), place]));
        const line = new CutLine(clock, fake, recorded, places);
        const speaker = new Speaker(recognizer, () => line.afterChunk());
        try {
          await waitFor('the connection', () => fake.openSockets === 1);
          await fake.settled();
          for (const phrase of phrases) await speaker.say(phrase.join(' '), PAUSE_MS);
          const expected = phrases.flat().join(' ');
          await line.restore();
          await waitFor(expected, () => recorded.words.length >= expected.length, STABLE_MS);
          await recognizer.close();
          expect(recorded.words).toBe(expected);
          expect(fake.offences).toEqual([]);
        } finally {
          cutCount += line.cutCount;
          await recognizer.close();
          await host.stop();
        }
      },
    );
    const startedMs = systemClock.monotonicMs();
    await fc.assert(property, {
      numRuns: RUNS,
      endOnFailure: true,
      interruptAfterTimeLimit: 110_000,
      markInterruptAsFailure: true,
    });
    if (process.env.FULL_CUTS)
      console.log(`${cutCount} cuts in ${Math.round(systemClock.monotonicMs() - startedMs)} ms`);
    expect(cutCount).toBeGreaterThan(RUNS);
  });
});

/** The connection between a recognizer and its vendor, which is cut at chosen places. */
class CutLine {
  cutCount = 0;
  readonly #clock: ManualClock;
  readonly #fake: SpeechSockets;
  readonly #recorded: RecordedRecognition;
  /** By the number of the chunk. */
  readonly #cuts: ReadonlyMap<number, Cut['place']>;
  #chunk = 0;
  #isCut = false;

  constructor(
    clock: ManualClock,
    fake: SpeechSockets,
    recorded: RecordedRecognition,
    cuts: ReadonlyMap<number, Cut['place']>,
  ) {
    this.#clock = clock;
    this.#fake = fake;
    this.#recorded = recorded;
    this.#cuts = cuts;
  }

  async afterChunk(): Promise<void> {
    const place = this.#cuts.get(this.#chunk++);
    if (this.#isCut) return this.restore();
    if (place === undefined) return this.#fake.settled();
    this.#clock.advance(STABLE_MS);
    if (place === 'answered') await this.#fake.settled();
    if (this.#isCut) return;
    if (place === 'before an answer') this.#cutAtAnswer('cut');
    else if (place === 'after an answer') this.#cutAtAnswer('send, then cut');
    else this.#cut();
    await this.#fake.settled();
  }

  /** Lets the recognizer connect again. */
  async restore(): Promise<void> {
    this.#fake.deliver = () => 'send';
    if (!this.#isCut) return;
    this.#isCut = false;
    await waitFor('the loss', () => this.#count('disconnected unreachable') === this.cutCount);
    await waitFor('a connection', () => {
      this.#clock.advance(100);
      return this.#count('reconnected') === this.cutCount;
    });
    await this.#fake.settled();
  }

  #count(event: string): number {
    return this.#recorded.events.filter((each) => each === event).length;
  }

  #cut(): void {
    this.cutCount += 1;
    this.#isCut = true;
    this.#fake.cutAll();
  }

  #cutAtAnswer(delivery: 'cut' | 'send, then cut'): void {
    this.#fake.deliver = () => {
      this.cutCount += 1;
      this.#isCut = true;
      this.#fake.deliver = () => 'send';
      return delivery;
    };
  }
}
