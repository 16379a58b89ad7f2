import type { NewRecognizer } from './stt/recognizer.ts';
import type { NewSynthesizer } from './tts/synthesizer.ts';

/** Makes the clients of one provider, on a bridge thread. */
export interface ProviderClients {
  readonly provider: string;
  readonly synthesizer?: NewSynthesizer;
  readonly recognizer?: NewRecognizer;
}
