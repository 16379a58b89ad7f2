import type { Clock } from '../../base/time.ts';
import { allClients } from '../all-clients.ts';
import type { NewVoiceDetector } from '../hearing/voice-detector.ts';
import type { ProviderClients } from '../provider-clients.ts';
import type { SplitText } from '../speaking/speaking.ts';
import { speechPieces } from '../text/speech-pieces.ts';
import type { FvadRateHz } from '../vad/fvad.ts';
import { VoiceActivity } from '../vad/voice-activity.ts';

/** In UTF-16 units. A short first piece is spoken early. */
const PIECES = { first: 80, rest: 300 };
/** Pauses between words do not end speech. */
const TURNS = { startAfterMs: 100, endAfterMs: 500 };

/** What the speech of all calls on a bridge thread shares. */
export interface SpeechParts {
  readonly providers: readonly ProviderClients[];
  readonly split: SplitText;
  readonly newDetector: NewVoiceDetector;
  readonly clock: Pick<Clock, 'monotonicMs'>;
}

export function speechParts(clock: Clock): SpeechParts {
  return {
    providers: allClients(clock),
    split: (text) => speechPieces(text, PIECES),
    newDetector: (rateHz) => new VoiceActivity({ rateHz: rateHz as FvadRateHz, ...TURNS }),
    clock,
  };
}
