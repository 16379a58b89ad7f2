import type { Bench } from '../bench.ts';
import { hostedDensity } from './hosted-density.ts';
import { speechDelays } from './speech-delays.ts';
import { ticksBesideSpeech } from './ticks-beside.ts';

export const speechBench: Bench = {
  name: 'speech',
  title: 'hosted speech: its delays, calls a core, and ticks beside it',
  async run(context) {
    return [
      ...(await speechDelays(context)),
      ...(await ticksBesideSpeech(context)),
      ...(await hostedDensity(context)),
    ];
  },
};
