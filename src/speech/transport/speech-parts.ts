import { assert } from '../../base/assert.ts';
import { type Reader, ReadingTime } from '../../base/reading-time.ts';
import type { SpeechProviderName } from '../../base/speech.ts';
import type { Clock } from '../../base/time.ts';
import { NoiseSuppression } from '../hearing/noise-suppression.ts';
import type { NewVoiceDetector } from '../hearing/voice-detector.ts';
import type { LocalPlaces } from '../local/local-places.ts';
import { LocalRecognizer } from '../local/local-recognizer.ts';
import { LocalTts, localSynthesizer } from '../local/local-synthesizer.ts';
import { UtteranceSegmenter } from '../segments/utterance-segmenter.ts';
import type { SplitText } from '../speaking/speaking.ts';
import type { NewRecognizer } from '../stt/recognizer.ts';
import { recognizerBy } from '../stt/stream-recognizer.ts';
import { speechPieces } from '../text/speech-pieces.ts';
import { synthesizerBy } from '../tts/stream-synthesizer.ts';
import type { NewSynthesizer } from '../tts/synthesizer.ts';
import type { FvadRateHz } from '../vad/fvad.ts';
import { VoiceActivity } from '../vad/voice-activity.ts';
import type { VendorSocketDeps } from '../vendor-socket.ts';
import { assemblyAiStt } from '../vendors/assemblyai/assemblyai-stt.ts';
import { cartesiaStt } from '../vendors/cartesia/cartesia-stt.ts';
import { cartesiaTts } from '../vendors/cartesia/cartesia-tts.ts';
import { deepgramStt } from '../vendors/deepgram/deepgram-stt.ts';
import { deepgramTts } from '../vendors/deepgram/deepgram-tts.ts';
import { elevenLabsStt } from '../vendors/elevenlabs/elevenlabs-stt.ts';
import { elevenLabsTts } from '../vendors/elevenlabs/elevenlabs-tts.ts';
import { OpenAiRecognizer, type OpenAiRecognizerDeps } from '../vendors/openai/openai-recognizer.ts';
import { OpenAiSynthesizer } from '../vendors/openai/openai-synthesizer.ts';

/** In UTF-16 units. A short first piece is spoken early. */
const PIECES = { first: 80, rest: 300 };
/** Pauses between words do not end speech. */
const TURNS = { startAfterMs: 100, endAfterMs: 500 };

/** Makes the clients of one provider, for one call. */
export interface ProviderClients {
  readonly provider: string;
  readonly synthesizer?: NewSynthesizer;
  readonly recognizer?: NewRecognizer;
}

/** What the speech of all calls on a bridge thread shares. */
export interface SpeechParts {
  /** The clients of all providers, for one call. */
  readonly providers: (places: LocalPlaces, reader: Reader) => readonly ProviderClients[];
  /** Of the bridge thread. */
  readonly readingTime: ReadingTime;
  readonly split: SplitText;
  readonly newDetector: NewVoiceDetector;
  readonly suppression: NoiseSuppression;
  readonly clock: Clock;
}

export function speechParts(clock: Clock): SpeechParts {
  return {
    providers: (places, reader) => allClients({ clock, reader, random: Math.random }, places),
    readingTime: new ReadingTime(clock),
    split: (text) => speechPieces(text, PIECES),
    newDetector: (rateHz) => new VoiceActivity({ rateHz: rateHz as FvadRateHz, ...TURNS }),
    suppression: new NoiseSuppression(),
    clock,
  };
}

/** The clients of all providers, for one call. */
export function allClients(deps: VendorSocketDeps, places: LocalPlaces): readonly ProviderClients[] {
  const newSegmenter: OpenAiRecognizerDeps['newSegmenter'] = (...parts) => new UtteranceSegmenter(...parts);
  const localTts = new LocalTts(places);
  const clients: Readonly<Record<SpeechProviderName, Omit<ProviderClients, 'provider'>>> = {
    elevenlabs: {
      synthesizer: synthesizerBy(elevenLabsTts, deps),
      recognizer: recognizerBy(elevenLabsStt, deps),
    },
    deepgram: {
      synthesizer: synthesizerBy(deepgramTts, deps),
      recognizer: recognizerBy(deepgramStt, deps),
    },
    cartesia: {
      synthesizer: synthesizerBy(cartesiaTts, deps),
      recognizer: recognizerBy(cartesiaStt, deps),
    },
    assemblyai: { recognizer: recognizerBy(assemblyAiStt, deps) },
    openai: {
      synthesizer: (preset, _rateHz, observer) => new OpenAiSynthesizer(preset, deps, observer),
      recognizer: (preset, rateHz, observer) =>
        new OpenAiRecognizer(preset, rateHz, { ...deps, newSegmenter }, observer),
    },
    local: {
      synthesizer: (preset, _rateHz, observer) => localSynthesizer(preset, localTts, observer),
      recognizer: (preset, _rateHz, observer) =>
        new LocalRecognizer(preset, { clock: deps.clock, places }, observer),
    },
  };
  return Object.entries(clients).map(([provider, made]) => ({ provider, ...made }));
}

export function clientsOf(providers: readonly ProviderClients[], name: string): ProviderClients {
  const clients = providers.find(({ provider }) => provider === name);
  assert(clients !== undefined, `no clients of provider ${name}`);
  return clients;
}
