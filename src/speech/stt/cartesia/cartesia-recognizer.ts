import type { SpeechPreset } from '../../speech-preset.ts';
import { textAt } from '../../vendor-message.ts';
import type { VendorSocketDeps } from '../../vendor-socket.ts';
import type { Recognizer, RecognizerObserver } from '../recognizer.ts';
import { CartesiaManualRecognizer } from './cartesia-manual-recognizer.ts';
import { CartesiaTurnsRecognizer } from './cartesia-turns-recognizer.ts';

/** Chooses the endpoint by the model: only ink-2 finds turns. `rateHz` is the rate of the voice. */
export function newCartesiaRecognizer(
  preset: SpeechPreset,
  rateHz: number,
  deps: VendorSocketDeps,
  observer: RecognizerObserver,
): Recognizer {
  const isWhisper = textAt(preset.options, 'model')?.startsWith('ink-whisper') ?? false;
  const Chosen = isWhisper ? CartesiaManualRecognizer : CartesiaTurnsRecognizer;
  return new Chosen(preset, rateHz, deps, observer);
}
