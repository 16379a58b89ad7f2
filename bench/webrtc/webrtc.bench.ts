import type { Bench } from '../bench.ts';
import { legShare } from './leg-share.ts';
import { ticksBesideLegs } from './ticks-beside.ts';

/** Two benches, so that each can be run by itself. */
export const webrtcBenches: readonly Bench[] = [
  { name: 'webrtc-legs', title: 'share of a core that a WebRTC leg takes', run: legShare },
  { name: 'webrtc-ticks', title: 'ticks of SIP calls beside WebRTC legs', run: ticksBesideLegs },
];
