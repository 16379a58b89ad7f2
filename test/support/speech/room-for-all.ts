import type { LocalPlaces } from '../../../src/speech/local/local-places.ts';

/** Places at the engines of `local` for everybody. */
export const roomForAll: LocalPlaces = { take: async () => () => {} };
