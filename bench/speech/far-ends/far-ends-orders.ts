import type { Sightings } from './sightings.ts';

export type FarEndsOrder =
  | { readonly type: 'vendor' }
  /** Opens telephones on free ports of 127.0.0.1. */
  | { readonly type: 'phones'; readonly count: number }
  /** Lets a telephone, counted from 0, send there. Not answered. */
  | { readonly type: 'call'; readonly phone: number; readonly host: string; readonly port: number }
  /** Starts to count. */
  | { readonly type: 'begin' }
  | { readonly type: 'end' };

export type FarEndsAnswer =
  | { readonly type: 'vendor'; readonly url: string }
  | { readonly type: 'phones'; readonly ports: readonly number[] }
  | { readonly type: 'begin' }
  | { readonly type: 'end'; readonly sightings: Sightings };
