import type { Recognizer, RecognizerObserver } from './stt/recognizer.ts';
import type { Synthesizer, SynthesizerObserver } from './tts/synthesizer.ts';

/** Makes the clients of one provider, on a bridge thread. `Options` come from a preset and the operator's settings. */
export interface ProviderClients<Options = unknown> {
  readonly provider: string;
  /** `rateHz` is the rate of the call's room; the synthesizer may choose another. */
  readonly synthesizer?: (options: Options, rateHz: number, observer: SynthesizerObserver) => Synthesizer;
  /** `rateHz` is the rate at which voices are tapped; the recognizer may choose another. */
  readonly recognizer?: (options: Options, rateHz: number, observer: RecognizerObserver) => Recognizer;
}

/** Binds the clients of a provider to its options, which only the provider knows. */
export function providerClients<Options>(clients: ProviderClients<Options>): ProviderClients {
  return clients as unknown as ProviderClients;
}
