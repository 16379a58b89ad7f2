import type { LegObserver, Participant } from '../contract/call-leg.ts';

/**
 * Puts together who speaks with which voice of a media leg: the platform says whose stream it is and when they speak, the leg
 * says which stream has which voice, and a name is known once the person is. All that comes in any order.
 */
export class MeetingVoices {
  readonly #report: LegObserver['speaking'];
  /** The stream of each voice, and of each person, such as an SSRC. */
  readonly #streamOfVoice = new Map<number, number>();
  readonly #streamOfPerson = new Map<string, number>();
  readonly #speaking = new Set<string>();
  #known: ReadonlySet<string> = new Set();

  constructor(report: LegObserver['speaking']) {
    this.#report = report;
  }

  participants(list: readonly Participant[]): void {
    this.#known = new Set(list.map(({ id }) => id));
    this.#tellAll();
  }

  /** The person has this stream, and no other one any more. */
  stream(stream: number, personId: string): void {
    if (this.#streamOfPerson.get(personId) === stream) return;
    this.speaking(personId, false);
    this.#streamOfPerson.set(personId, stream);
  }

  /** The media leg has given this voice to a stream. */
  placed(stream: number, voiceId: number): void {
    const before = this.#streamOfVoice.get(voiceId);
    if (before === stream) return;
    for (const [personId, each] of this.#streamOfPerson) if (each === before) this.speaking(personId, false);
    this.#streamOfVoice.set(voiceId, stream);
    this.#tellAll();
  }

  speaking(personId: string, on: boolean): void {
    if (on) this.#speaking.add(personId);
    else this.#speaking.delete(personId);
    this.#tell(personId);
  }

  /** The session is over, and with it its streams. */
  clear(): void {
    for (const personId of this.#speaking) this.speaking(personId, false);
    this.#streamOfPerson.clear();
  }

  #tellAll(): void {
    for (const personId of this.#speaking) this.#tell(personId);
  }

  /** Repetitions are ignored by the observer. */
  #tell(participantId: string): void {
    const on = this.#speaking.has(participantId);
    const voiceId = this.#voiceOf(participantId);
    if (voiceId === undefined || (on && !this.#known.has(participantId))) return;
    this.#report({ voiceId, participantId }, on);
  }

  #voiceOf(personId: string): number | undefined {
    const stream = this.#streamOfPerson.get(personId);
    if (stream === undefined) return undefined;
    for (const [voiceId, each] of this.#streamOfVoice) if (each === stream) return voiceId;
    return undefined;
  }
}
