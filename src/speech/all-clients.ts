import type { SpeechProviderName } from '../base/speech.ts';
import type { Clock } from '../base/time.ts';
import { LocalRecognizer } from './local/local-recognizer.ts';
import { LocalStt } from './local/local-stt.ts';
import { LocalSynthesizer } from './local/local-synthesizer.ts';
import { LocalTts } from './local/local-tts.ts';
import type { ProviderClients } from './provider-clients.ts';
import { UtteranceSegmenter } from './segments/utterance-segmenter.ts';
import { recognizerBy } from './stt/stream-recognizer.ts';
import { CartesiaSynthesizer } from './tts/cartesia/cartesia-synthesizer.ts';
import { DeepgramSynthesizer } from './tts/deepgram/deepgram-synthesizer.ts';
import { ElevenLabsSynthesizer } from './tts/elevenlabs/elevenlabs-synthesizer.ts';
import { OpenAiSynthesizer } from './tts/openai/openai-synthesizer.ts';
import { assemblyAiStt } from './vendors/assemblyai/assemblyai-stt.ts';
import { cartesiaStt } from './vendors/cartesia/cartesia-stt.ts';
import { deepgramStt } from './vendors/deepgram/deepgram-stt.ts';
import { elevenLabsStt } from './vendors/elevenlabs/elevenlabs-stt.ts';
import { OpenAiRecognizer } from './vendors/openai/openai-recognizer.ts';

/** The clients of all providers, for one bridge thread. */
export function allClients(clock: Clock): readonly ProviderClients[] {
  const deps = { clock, random: Math.random };
  const [localTts, localStt] = [new LocalTts(), new LocalStt(clock)];
  const clients: Readonly<Record<SpeechProviderName, Omit<ProviderClients, 'provider'>>> = {
    elevenlabs: {
      synthesizer: (preset, rateHz, observer) => new ElevenLabsSynthesizer(preset, rateHz, deps, observer),
      recognizer: recognizerBy(elevenLabsStt, deps),
    },
    deepgram: {
      synthesizer: (preset, rateHz, observer) => new DeepgramSynthesizer(preset, rateHz, deps, observer),
      recognizer: recognizerBy(deepgramStt, deps),
    },
    cartesia: {
      synthesizer: (preset, rateHz, observer) => new CartesiaSynthesizer(preset, rateHz, deps, observer),
      recognizer: recognizerBy(cartesiaStt, deps),
    },
    assemblyai: {
      recognizer: recognizerBy(assemblyAiStt, deps),
    },
    openai: {
      synthesizer: (preset, _rateHz, observer) => new OpenAiSynthesizer(preset, deps, observer),
      recognizer: (preset, rateHz, observer) =>
        new OpenAiRecognizer(preset, rateHz, { ...deps, newSegmenter }, observer),
    },
    local: {
      synthesizer: (preset, _rateHz, observer) => new LocalSynthesizer(preset, localTts, observer),
      recognizer: (preset, _rateHz, observer) => new LocalRecognizer(preset, localStt, observer),
    },
  };
  return Object.entries(clients).map(([provider, made]) => ({ provider, ...made }));
}

function newSegmenter(
  ...[rateHz, limits]: ConstructorParameters<typeof UtteranceSegmenter>
): UtteranceSegmenter {
  return new UtteranceSegmenter(rateHz, limits);
}
