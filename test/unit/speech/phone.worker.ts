import { systemClock } from '../../../src/base/time.ts';
import { BridgeWorker } from '../../../src/bridge/bridge-worker.ts';
import { transportFactory } from '../../../src/media/transport.ts';
import { type ProviderClients, speechParts } from '../../../src/speech/transport/speech-parts.ts';
import { SPEECH_TRANSPORT } from '../../../src/speech/transport/speech-protocol.ts';
import { speechWith } from '../../../src/speech/transport/speech-transport.ts';
import type { TransportOutcome, TransportPlacement } from '../../../src/threads/bridge-protocol.ts';
import { DeafRecognizer } from '../../support/speech/deaf-recognizer.ts';
import { RecordedSynthesizer, type RecordedVoice } from '../../support/speech/recorded-synthesizer.ts';
import { ToneSynthesizer, type ToneVoice } from '../../support/speech/tone-synthesizer.ts';
import { noted } from './noted-detector.ts';

const tones: ProviderClients = {
  provider: 'tones',
  synthesizer: (preset, _rateHz, observer) =>
    new ToneSynthesizer(preset.options as unknown as ToneVoice, observer),
};

const recorded: ProviderClients = {
  provider: 'recorded',
  synthesizer: (preset, _rateHz, observer) =>
    new RecordedSynthesizer(preset.options as unknown as RecordedVoice, observer),
  recognizer: () => new DeafRecognizer(),
};

/** A bridge thread as it is, but for the vendors. */
const own = speechParts(systemClock);
const parts = {
  ...own,
  newDetector: noted(own.newDetector),
  providers: () => [tones, recorded],
  split: (text: string) => [text],
};
const worker = new BridgeWorker([transportFactory(SPEECH_TRANSPORT, speechWith(parts))]);

export function holdTransport(placement: TransportPlacement): Promise<TransportOutcome> {
  return worker.hold(placement);
}
