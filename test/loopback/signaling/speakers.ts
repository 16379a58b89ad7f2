import type { LegObserver, Participant } from '../../../src/connectors/contract/call-leg.ts';

/** A stream of the vendor, with the voice of one participant. */
export interface VendorVoice {
  readonly voice: number;
  readonly ssrc: number;
  readonly participant: string;
}

/**
 * Puts together who speaks with which voice of the media leg. The vendor says whose voice it is and when it speaks; the
 * leg says which stream has which place; a name is known once the participant is. All that comes in any order.
 */
export class Speakers {
  readonly #observer: Pick<LegObserver, 'speaking' | 'participants'>;
  readonly #placeOf: (voice: VendorVoice) => number | undefined;
  readonly #speaking = new Set<number>();
  /** The stream at each place of the leg, by its SSRC. */
  readonly #ssrcs = new Map<number, number>();
  #voices: readonly VendorVoice[] = [];
  #present: ReadonlySet<string> = new Set();

  /** With PCM, the vendor's number of a voice is its place. With packets, the leg gives the places. */
  constructor(media: 'pcm' | 'packets', observer: Pick<LegObserver, 'speaking' | 'participants'>) {
    this.#observer = observer;
    this.#placeOf = media === 'pcm' ? ({ voice }) => voice : ({ ssrc }) => this.#placeOfSsrc(ssrc);
  }

  participants(list: readonly Participant[]): void {
    this.#present = new Set(list.map(({ id }) => id));
    this.#observer.participants(list);
    this.#report();
  }

  voices(list: readonly VendorVoice[]): void {
    const isGone = ({ voice, participant }: VendorVoice): boolean =>
      !list.some((each) => each.voice === voice && each.participant === participant);
    for (const { voice } of this.#voices.filter(isGone)) this.speaking(voice, false);
    this.#voices = list;
    this.#report();
  }

  speaking(voice: number, on: boolean): void {
    if (on) this.#speaking.add(voice);
    else this.#speaking.delete(voice);
    this.#report();
  }

  /** The leg has given this place to a stream. */
  placed(ssrc: number, place: number): void {
    this.#ssrcs.set(place, ssrc);
    this.#report();
  }

  /** Reports everything that is known. The observer ignores repetitions. */
  #report(): void {
    for (const voice of this.#voices) {
      const voiceId = this.#placeOf(voice);
      const on = this.#speaking.has(voice.voice);
      if (voiceId === undefined || (on && !this.#present.has(voice.participant))) continue;
      this.#observer.speaking({ voiceId, participantId: voice.participant }, on);
    }
  }

  #placeOfSsrc(ssrc: number): number | undefined {
    for (const [place, each] of this.#ssrcs) if (each === ssrc) return place;
    return undefined;
  }
}
