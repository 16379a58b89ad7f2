import type { SpeechPreset } from '../../speech-preset.ts';
import { textAt } from '../../vendor-message.ts';
import type { VendorSocketDeps } from '../../vendor-socket.ts';
import type { Recognizer, RecognizerObserver } from '../recognizer.ts';
import { DeepgramRecognizer } from './deepgram-recognizer.ts';
import { FluxRecognizer } from './flux-recognizer.ts';

/** Chooses the endpoint by the model: only flux finds turns. `rateHz` is the rate of the voice. */
export function newDeepgramRecognizer(
  preset: SpeechPreset,
  rateHz: number,
  deps: VendorSocketDeps,
  observer: RecognizerObserver,
): Recognizer {
  const isFlux = textAt(preset.options, 'model')?.startsWith('flux') ?? false;
  const Chosen = isFlux ? FluxRecognizer : DeepgramRecognizer;
  return new Chosen(preset, rateHz, deps, observer);
}
