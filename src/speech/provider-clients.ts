import type { SpeechPreset } from './speech-preset.ts';
import type { Recognizer, RecognizerObserver } from './stt/recognizer.ts';
import type { Synthesizer, SynthesizerObserver } from './tts/synthesizer.ts';

/** Makes the clients of one provider, on a bridge thread. */
export interface ProviderClients {
  readonly provider: string;
  /** `rateHz` is the rate of the call's room; the synthesizer may choose another. */
  readonly synthesizer?: (preset: SpeechPreset, rateHz: number, observer: SynthesizerObserver) => Synthesizer;
  /** `rateHz` is the rate at which voices are tapped; the recognizer may choose another. */
  readonly recognizer?: (preset: SpeechPreset, rateHz: number, observer: RecognizerObserver) => Recognizer;
}
