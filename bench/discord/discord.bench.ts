import type { Bench } from '../bench.ts';
import { legDensity } from './leg-density.ts';
import { ticksBesideLegs } from './ticks-beside.ts';

/** Two benches, so that each can be run by itself. */
export const discordBenches: readonly Bench[] = [
  { name: 'discord-legs', title: 'most Discord voice legs a core', run: legDensity },
  { name: 'discord-ticks', title: 'ticks of SIP calls beside Discord voice legs', run: ticksBesideLegs },
];
