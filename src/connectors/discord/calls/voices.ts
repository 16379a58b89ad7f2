import type { LegObserver, Participant } from '../../contract/call-leg.ts';

/**
 * Puts together who speaks with which voice of the media leg: the session says whose stream it is and when they speak,
 * the leg says which stream has which voice, and a name is known once the person is. All that comes in any order.
 */
export class Voices {
  readonly #report: LegObserver['speaking'];
  /** The voice of each stream, by SSRC, and the stream of each voice. */
  readonly #ssrcOfVoice = new Map<number, number>();
  readonly #ssrcOfUser = new Map<string, number>();
  readonly #speaking = new Set<string>();
  #known: ReadonlySet<string> = new Set();

  constructor(report: LegObserver['speaking']) {
    this.#report = report;
  }

  participants(list: readonly Participant[]): void {
    this.#known = new Set(list.map(({ id }) => id));
    for (const userId of this.#speaking) this.#tell(userId);
  }

  /** The user has this stream, and no other one any more. */
  stream(ssrc: number, userId: string): void {
    this.speaking(userId, false);
    this.#ssrcOfUser.set(userId, ssrc);
  }

  /** The media leg has given this voice to a stream. */
  placed(ssrc: number, voiceId: number): void {
    for (const [userId, each] of this.#ssrcOfUser)
      if (each === this.#ssrcOfVoice.get(voiceId)) this.speaking(userId, false);
    this.#ssrcOfVoice.set(voiceId, ssrc);
    for (const userId of this.#speaking) this.#tell(userId);
  }

  speaking(userId: string, on: boolean): void {
    if (on) this.#speaking.add(userId);
    else this.#speaking.delete(userId);
    this.#tell(userId);
  }

  /** The session is over, and with it its streams. */
  clear(): void {
    for (const userId of this.#speaking) this.speaking(userId, false);
    this.#ssrcOfUser.clear();
  }

  /** Repetitions are ignored by the observer. */
  #tell(participantId: string): void {
    const on = this.#speaking.has(participantId);
    const voiceId = this.#voiceOf(participantId);
    if (voiceId === undefined || (on && !this.#known.has(participantId))) return;
    this.#report({ voiceId, participantId }, on);
  }

  #voiceOf(userId: string): number | undefined {
    const ssrc = this.#ssrcOfUser.get(userId);
    for (const [voiceId, each] of this.#ssrcOfVoice) if (each === ssrc) return voiceId;
    return undefined;
  }
}
