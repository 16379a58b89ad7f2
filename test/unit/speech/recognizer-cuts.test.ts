import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ReadingTime } from '../../../src/base/reading-time.ts';
import { systemClock } from '../../../src/base/time.ts';
import type { Recognizer } from '../../../src/speech/stt/recognizer.ts';
import { recognizerBy, type SttVendor } from '../../../src/speech/stt/stream-recognizer.ts';
import { assemblyAiStt } from '../../../src/speech/vendors/assemblyai/assemblyai-stt.ts';
import { cartesiaStt } from '../../../src/speech/vendors/cartesia/cartesia-stt.ts';
import { deepgramStt } from '../../../src/speech/vendors/deepgram/deepgram-stt.ts';
import { elevenLabsStt } from '../../../src/speech/vendors/elevenlabs/elevenlabs-stt.ts';
import { AssemblyAiStt } from '../../fakes/assemblyai/stt-socket.ts';
import { CartesiaStt } from '../../fakes/cartesia/stt-socket.ts';
import { DeepgramSttSocket } from '../../fakes/deepgram/stt-socket.ts';
import { ElevenLabsSttSocket } from '../../fakes/elevenlabs/stt-socket.ts';
import { SpeechHost } from '../../fakes/speech-host.ts';
import type { SpeechSockets } from '../../fakes/speech-sockets.ts';
import { VOCABULARY } from '../../fakes/tone-speech.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { waitFor } from '../../support/wait-for.ts';
import { type Cut, CutLine } from './cut-line.ts';
import { RecordedRecognition } from './recorded-recognition.ts';
import { Speaker } from './speaker.ts';

const KEY = 'key_0123456789abcdef';
/** When the gateway's own detector of voices says that somebody has paused. */
const VOICE_PAUSE_MS = 300;
/** A turn is over for most vendors, and the next one begins while its end is on its way. */
const SHORT_PAUSE_MS = 0;
/** Every other pause is so long that a paced vendor catches up. */
const PAUSE_MS = 5_000;
/** A paced vendor takes so long to catch up. */
const CATCH_UP_MS = 10_000;
/** FULL_CUTS=1: a thousand cuts and more, over all recognizers. */
const RUNS = process.env.FULL_CUTS ? 75 : 4;

interface Vendor {
  readonly name: string;
  readonly fake: (clock: ManualClock) => SpeechSockets;
  readonly vendor: SttVendor;
  readonly options?: Readonly<Record<string, unknown>>;
}

const VENDORS: readonly Vendor[] = [
  {
    name: 'Deepgram nova',
    fake: (clock) => new DeepgramSttSocket(KEY, clock),
    vendor: deepgramStt,
  },
  {
    name: 'Deepgram Flux',
    fake: (clock) => new DeepgramSttSocket(KEY, clock),
    vendor: deepgramStt,
    options: { model: 'flux-general-en' },
  },
  {
    name: 'ElevenLabs',
    fake: (clock) => new ElevenLabsSttSocket(KEY, clock),
    vendor: elevenLabsStt,
    options: { commit_strategy: 'vad', vad_silence_threshold_secs: 0.6 },
  },
  {
    name: 'AssemblyAI',
    fake: (clock) => new AssemblyAiStt(clock, KEY),
    vendor: assemblyAiStt,
  },
  {
    name: 'Cartesia ink-2',
    fake: (clock) => new CartesiaStt(clock, KEY),
    vendor: cartesiaStt,
  },
  {
    name: 'Cartesia ink-whisper',
    fake: (clock) => new CartesiaStt(clock, KEY),
    vendor: cartesiaStt,
    options: { model: 'ink-whisper' },
  },
];

const CUTS: fc.Arbitrary<readonly Cut[]> = fc.array(
  fc.record({
    afterMs: fc.nat({ max: 4_000 }),
    place: fc.constantFrom('on the way', 'answered', 'before an answer', 'after an answer'),
  } as const),
  { minLength: 1, maxLength: 4 },
);

const PHRASES = fc.array(fc.array(fc.constantFrom(...VOCABULARY), { minLength: 1, maxLength: 5 }), {
  minLength: 2,
  maxLength: 6,
});

/** After how many chunks the vendor's answers arrive. */
const CHUNKS_ON_THE_WAY = fc.integer({ min: 1, max: 3 });

describe.each(VENDORS)('$name: cuts at any place', (vendor) => {
  it('loses, doubles and reorders no word', async () => {
    let cutCount = 0;
    const property = fc.asyncProperty(PHRASES, CUTS, CHUNKS_ON_THE_WAY, async (phrases, cuts, onTheWay) => {
      const clock = new ManualClock();
      const fake = vendor.fake(clock);
      const host = await SpeechHost.start(fake);
      const recorded = new RecordedRecognition();
      const preset = { url: host.url, key: KEY, options: vendor.options ?? {} };
      const recognizer = recognizerBy(vendor.vendor, {
        clock,
        random: () => 0,
        reader: new ReadingTime(clock).of('acc_a'),
      })(preset, 8_000, recorded);
      const line = new CutLine({ clock, fake, recorded }, cuts, onTheWay);
      const speaker = new Speaker(recognizer, () => line.afterChunk(recognizer.chunkMs));
      const said: string[] = [];
      try {
        await fake.connected();
        while (!line.isDone || said.length < phrases.length) {
          const phrase = phrases[said.length % phrases.length]!.join(' ');
          said.push(phrase);
          await speaker.say(phrase, VOICE_PAUSE_MS);
          recognizer.flush();
          await speaker.say('', said.length % 2 === 0 ? PAUSE_MS : SHORT_PAUSE_MS);
        }
        await speaker.say('', CATCH_UP_MS);
        await ended(recognizer, clock);
        expect(plain(recorded.words)).toBe(said.join(' '));
        expect(fake.offences).toEqual([]);
      } finally {
        cutCount += line.cutCount;
        await host.stop();
        await recognizer.close();
      }
    });
    const startedMs = systemClock.monotonicMs();
    await fc.assert(property, {
      numRuns: RUNS,
      endOnFailure: true,
      interruptAfterTimeLimit: 110_000,
      markInterruptAsFailure: true,
    });
    if (process.env.FULL_CUTS)
      console.log(
        `${vendor.name}: ${cutCount} cuts in ${Math.round(systemClock.monotonicMs() - startedMs)} ms`,
      );
    expect(cutCount).toBeGreaterThanOrEqual(RUNS);
  });
});

/** Closes a recognizer; time passes until its vendor has answered. */
async function ended(recognizer: Recognizer, clock: ManualClock): Promise<void> {
  let isClosed = false;
  void recognizer.close().then(() => {
    isClosed = true;
  });
  await waitFor('the end', () => {
    clock.advance(5);
    return isClosed;
  });
}

/** Some vendors write the beginning and the end of a sentence as such. */
function plain(words: string): string {
  return words.toLowerCase().replaceAll('.', '');
}
