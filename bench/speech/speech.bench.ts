import type { Bench } from '../bench.ts';
import { hostedDensity } from './hosted-density.ts';
import { speechDelays } from './speech-delays.ts';
import { ticksBesideSpeech, ticksBesideVoices } from './ticks-beside.ts';
import { voiceDetection } from './voice-detection.ts';

/** Five benches, so that each can be run by itself. */
export const speechBenches: readonly Bench[] = [
  { name: 'speech-delays', title: 'how long hosted speech takes through the gateway', run: speechDelays },
  { name: 'speech-ticks', title: 'ticks of SIP calls beside hosted speech', run: ticksBesideSpeech },
  {
    name: 'speech-many-ticks',
    title: 'ticks of many SIP calls beside voices that are detected',
    run: ticksBesideVoices,
  },
  { name: 'speech-calls', title: 'calls a core with hosted speech', run: hostedDensity },
  { name: 'speech-voices', title: 'what it takes to detect voices', run: voiceDetection },
];
