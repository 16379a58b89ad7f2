import { respond, type SipRequest, type SipResponse } from '../../support/sip-message.ts';
import { waitFor } from '../../support/wait-for.ts';
import { type DialogWire, IvrDialog } from '../ivr/ivr-dialog.ts';
import { CrcMedia } from './crc-media.ts';
import { answerTo, type CrcCodec, type CrcFormat, formatIn } from './crc-sdp.ts';

export interface CrcMeeting {
  /** 9 to 11 digits. */
  readonly id: string;
  /** Digits; empty: none. */
  readonly passcode: string;
  /**
   * What becomes of a room system that knows the passcode. `not-begun`: 480. `unlicensed`: 403, the host has no connector.
   * `excluded`: 603, the host wants no room systems.
   */
  readonly lets: 'in' | 'to-waiting-room' | 'not-begun' | 'unlicensed' | 'excluded';
}

/** Where a room system is. */
export type CrcPlace = 'refused' | 'asks-passcode' | 'waiting-room' | 'meeting' | 'over';

const REFUSALS: Readonly<Partial<Record<CrcMeeting['lets'], readonly [number, string]>>> = {
  'not-begun': [480, 'Temporarily Unavailable'],
  unlicensed: [403, 'Forbidden'],
  excluded: [603, 'Decline'],
};
const ATTEMPTS = 3;

/** One room system at the connector. */
export class CrcCall {
  readonly callId: string;
  /** What was dialled: the id, and what followed it after dots. */
  readonly user: string;
  readonly displayName: string;
  readonly protocol: DialogWire['protocol'];
  place: CrcPlace = 'asks-passcode';
  format: CrcFormat | null = null;
  readonly #meeting: CrcMeeting | null;
  readonly #dialog: IvrDialog;
  #media: CrcMedia | null = null;
  #entry = '';
  #wrong = 0;

  constructor(invite: SipRequest, user: string, meeting: CrcMeeting | null, wire: DialogWire) {
    this.callId = invite.headers['call-id'];
    this.user = user;
    this.displayName = (invite.headers.from.name ?? '').replace(/^"|"$/g, '');
    this.protocol = wire.protocol;
    this.#meeting = meeting;
    this.#dialog = new IvrDialog(invite, wire, 'crc');
  }

  /** Violations of RFC 3550 and RFC 4733. */
  get faults(): readonly string[] {
    return this.#media === null ? [] : [...this.#media.faults, ...this.#media.reader.faults];
  }

  /** Packets of audio that came. */
  get heard(): number {
    return this.#media?.heard ?? 0;
  }

  async reaches(place: CrcPlace, deadlineMs?: number): Promise<void> {
    await waitFor(
      `${this.user} to be at ${place}, was at ${this.place}`,
      () => this.place === place,
      deadlineMs,
    );
  }

  /** Answers an INVITE, or refuses it. */
  async answer(codecs: readonly CrcCodec[]): Promise<void> {
    const refusal = this.#meeting === null ? ([404, 'Not Found'] as const) : REFUSALS[this.#meeting.lets];
    if (refusal !== undefined) return this.#refuse(...refusal);
    const format = formatIn(this.#dialog.invite.content, codecs);
    if (format === null) return this.#refuse(488, 'Not Acceptable Here');
    const media = await CrcMedia.open((key) => this.#pressed(key));
    this.#media = media;
    this.format = format;
    this.#dialog.accept(answerTo(format, media.port));
    await this.#dialog.acknowledged;
    if (this.place === 'over') return;
    media.start(format);
    this.#enter(this.user.split('.')[1] ?? '');
  }

  /** Takes a request of the dialog; returns its answer, if it gets one. */
  request(request: SipRequest): SipResponse | null {
    switch (request.method) {
      case 'INVITE':
        this.#dialog.repeated();
        return null;
      case 'ACK':
        this.#dialog.noteAck();
        return null;
      case 'BYE':
        this.close();
        return respond(request, 200, 'OK');
      default:
        return respond(request, 200, 'OK');
    }
  }

  byeAnswered(): void {
    this.#dialog.noteByeAnswer();
  }

  /** The host lets it in from the waiting room. */
  admit(): void {
    if (this.place === 'waiting-room') this.#move('meeting');
  }

  tick(): void {
    this.#media?.tick();
  }

  /** The host ends the meeting. */
  hangUp(): void {
    if (this.#media === null) return;
    this.#dialog.bye();
    this.close();
  }

  /** Frees all but the BYE that still has to be answered. */
  close(): void {
    this.#media?.close();
    this.#media = null;
    this.place = 'over';
  }

  stop(): void {
    this.close();
    this.#dialog.close();
  }

  #refuse(status: number, reason: string): void {
    this.place = 'refused';
    this.#dialog.refuse(status, reason);
  }

  /** Keys: the passcode, and a number sign. */
  #pressed(key: string): void {
    if (this.place !== 'asks-passcode') return;
    if (key !== '#') this.#entry += key;
    else {
      const entry = this.#entry;
      this.#entry = '';
      this.#enter(entry);
      this.#wrong++;
    }
    if (this.#wrong >= ATTEMPTS && this.place === 'asks-passcode') this.hangUp();
  }

  #enter(passcode: string): void {
    const meeting = this.#meeting!;
    if (meeting.passcode !== '' && passcode !== meeting.passcode) return;
    this.#move(meeting.lets === 'to-waiting-room' ? 'waiting-room' : 'meeting');
  }

  #move(place: CrcPlace): void {
    this.place = place;
    this.#media!.repeats = place === 'meeting';
  }
}
