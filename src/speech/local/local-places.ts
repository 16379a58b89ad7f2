import type { ReleasePlace } from '../../base/fair-share.ts';

/** What the engines of `local` do: recognizing one voice, or speaking one piece of text. */
export type LocalWork = 'recognition' | 'synthesis';

/** Where a call gets its places at the engines of `local`. All accounts share them. */
export interface LocalPlaces {
  /** Resolves with the release of a place, or with null: none became free in time. */
  take(work: LocalWork): Promise<ReleasePlace | null>;
}
