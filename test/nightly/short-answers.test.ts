import { describe, expect, it, onTestFinished } from 'vitest';
import { ReadingTime } from '../../src/base/reading-time.ts';
import { systemClock } from '../../src/base/time.ts';
import { LOCAL_VOICES } from '../../src/speech/local/flite-voices.ts';
import { LocalRecognizer } from '../../src/speech/local/local-recognizer.ts';
import { allClients } from '../../src/speech/transport/speech-parts.ts';
import { AssemblyAiStt } from '../fakes/assemblyai/stt-socket.ts';
import { CartesiaStt } from '../fakes/cartesia/stt-socket.ts';
import { DeepgramSttSocket } from '../fakes/deepgram/stt-socket.ts';
import { ElevenLabsSttSocket } from '../fakes/elevenlabs/stt-socket.ts';
import { OpenAiAudio } from '../fakes/openai/audio-routes.ts';
import { SpeechHost, type VendorPart } from '../fakes/speech-host.ts';
import { toneSpeech } from '../fakes/tone-speech.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { requirePeer } from '../support/require-peer.ts';
import { SocketClock } from '../support/socket-clock.ts';
import { OverheardCall } from '../support/speech/overheard-call.ts';
import { roomForAll } from '../support/speech/room-for-all.ts';
import { framesOf, joined, silence, speech } from '../support/speech-signal.ts';
import { waitFor } from '../support/wait-for.ts';

const RATE_HZ = 8_000;
const KEY = 'key_0123456789abcdef';
/** Most carry 100 to 240 ms of voice. */
const WORDS = [
  ...['Yes.', 'No.', 'Six.', 'Two.', 'Eight.', 'Ten.', 'Stop.', 'Yeah.'],
  ...['Sure.', 'Right.', 'Hi.', 'What?', 'One.', 'Five.', 'Correct.', 'Thanks.'],
];
const VOICES = LOCAL_VOICES.map(({ id }) => id);
const ANSWERS = VOICES.flatMap((voice) => WORDS.map((word) => speech(word, RATE_HZ, voice)));
/** What fakes understand, and no detector takes for a voice: it follows the word that announces it. */
const TONE = new Int16Array(toneSpeech('alpha', { encoding: 's16le', sampleRateHz: RATE_HZ }).slice().buffer);

const FAKES: Readonly<Record<string, (clock: SocketClock) => VendorPart>> = {
  elevenlabs: (clock) => new ElevenLabsSttSocket(KEY, clock),
  deepgram: (clock) => new DeepgramSttSocket(KEY, clock),
  cartesia: (clock) => new CartesiaStt(clock, KEY),
  assemblyai: (clock) => new AssemblyAiStt(clock, KEY),
  openai: (clock) => {
    const fake = new OpenAiAudio(KEY, clock);
    fake.understand = () => 'yes';
    return fake;
  },
};

interface VendorCall {
  readonly call: OverheardCall;
  readonly clock: SocketClock;
}

/** A call of which this provider's fake hears every word. */
async function callWith(provider: string): Promise<VendorCall> {
  const clock = new SocketClock();
  const host = await SpeechHost.start(FAKES[provider]!(clock));
  const deps = { clock, random: () => 0, reader: new ReadingTime(clock).of('acc_a') };
  const { recognizer } = allClients(deps, roomForAll).find((clients) => clients.provider === provider)!;
  const preset = { url: host.url, key: KEY, options: {} };
  const call = new OverheardCall({
    sampleRateHz: RATE_HZ,
    clock,
    connect: (observer) => recognizer!(preset, RATE_HZ, observer),
  });
  onTestFinished(async () => {
    await clock.settled('the end', call.close());
    await host.stop();
  });
  return { call, clock };
}

async function say({ call, clock }: VendorCall, signal: Int16Array): Promise<void> {
  for (const [i, frame] of framesOf(signal, RATE_HZ).entries()) {
    call.hear(frame);
    if (i % 5 === 4) await clock.pass(0);
  }
}

describe.each(Object.keys(FAKES))('64 answers of one word that %s hears', (provider) => {
  it('end in a transcript', async () => {
    const vendor = await callWith(provider);
    await say(vendor, silence(2_000, RATE_HZ));
    for (const answer of ANSWERS) await say(vendor, joined(answer, TONE, silence(2_500, RATE_HZ)));
    const { call } = vendor;
    console.log(`${provider}: ${call.count('started')} announced, ${call.count('heard')} understood`);
    expect(call.count('started')).toBe(ANSWERS.length);
    expect(call.count('heard')).toBe(ANSWERS.length);
    expect(call.count('unheard')).toBe(0);
  });
});

/** Real time that pocketsphinx gets to understand a word. */
const LOCAL_MS = 4_000;

describe.skipIf(requirePeer('pocketsphinx_continuous'))(
  '64 answers of one word that pocketsphinx hears',
  () => {
    it.concurrent.each(VOICES)('of %s end in a transcript, or are told of', async (voice) => {
      const clock = new ManualClock();
      const call = new OverheardCall({
        sampleRateHz: RATE_HZ,
        clock,
        connect: (observer) =>
          new LocalRecognizer(
            { url: '', key: '', options: {} },
            { clock: systemClock, places: roomForAll },
            observer,
          ),
      });
      const line = silence(1_500, RATE_HZ);
      for (const [i, word] of WORDS.entries()) {
        for (const frame of framesOf(joined(speech(word, RATE_HZ, voice), line), RATE_HZ)) call.hear(frame);
        const done = () => call.count('heard') + call.count('unheard') > i;
        const untilMs = performance.now() + LOCAL_MS;
        await waitFor('a transcript', () => done() || performance.now() > untilMs);
        // What has not been understood by now never will be.
        for (let ms = 0; ms < 8_000 && !done(); ms += 1_000) {
          clock.advance(1_000);
          call.look();
        }
      }
      console.log(`${voice}: ${call.count('heard')} understood, ${call.count('unheard')} told of`);
      expect(call.count('started')).toBe(WORDS.length);
      expect(call.count('heard') + call.count('unheard')).toBeGreaterThanOrEqual(WORDS.length);
      await call.close();
    });
  },
);
