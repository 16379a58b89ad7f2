import { ReadingTime } from '../../../src/base/reading-time.ts';
import { systemClock } from '../../../src/base/time.ts';
import { BridgeWorker } from '../../../src/bridge/bridge-worker.ts';
import { transportFactory } from '../../../src/media/transport.ts';
import { NoiseSuppression } from '../../../src/speech/hearing/noise-suppression.ts';
import type { ProviderClients } from '../../../src/speech/transport/speech-parts.ts';
import { SPEECH_TRANSPORT } from '../../../src/speech/transport/speech-protocol.ts';
import { speechWith } from '../../../src/speech/transport/speech-transport.ts';
import type { TransportOutcome, TransportPlacement } from '../../../src/threads/bridge-protocol.ts';
import { LevelDetector } from '../../support/speech/level-detector.ts';
import { type ToneEars, ToneRecognizer } from '../../support/speech/tone-recognizer.ts';
import { ToneSynthesizer, type ToneVoice } from '../../support/speech/tone-synthesizer.ts';

const tones: ProviderClients = {
  provider: 'tones',
  synthesizer: (preset, _rateHz, observer) =>
    new ToneSynthesizer(preset.options as unknown as ToneVoice, observer),
  recognizer: (preset, _rateHz, observer) =>
    new ToneRecognizer(preset.options as unknown as ToneEars, observer),
};

const worker = new BridgeWorker([
  transportFactory(
    SPEECH_TRANSPORT,
    speechWith({
      providers: () => [tones],
      split: (text) => [text],
      newDetector: () => new LevelDetector(),
      suppression: new NoiseSuppression(),
      readingTime: new ReadingTime(systemClock),
      clock: systemClock,
    }),
  ),
]);

export function holdTransport(placement: TransportPlacement): Promise<TransportOutcome> {
  return worker.hold(placement);
}
