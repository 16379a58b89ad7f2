import { respond, type SipRequest, type SipResponse } from '../../support/sip-message.ts';
import { waitFor } from '../../support/wait-for.ts';
import { type DialogWire, IvrDialog } from './ivr-dialog.ts';
import { IvrMedia, type IvrMediaHost } from './ivr-media.ts';
import { answerTo, type DigitWay, formatIn } from './ivr-sdp.ts';
import type { Network } from './lossy-link.ts';
import { type Meeting, Menu, type Place } from './menu.ts';
import { Prompts } from './prompts.ts';

/** How the menu behaves. */
export interface IvrManners {
  readonly meetings: readonly Meeting[];
  /** How it takes keys: as telephone-events, or without having offered any, from the audio. */
  readonly digits: DigitWay;
  /** Whether keys count while it speaks. */
  readonly bargeIn: boolean;
  /** Wrong entries after which it hangs up. */
  readonly attempts: number;
  readonly promptMs: number;
  /** How long it waits for a key after a prompt. */
  readonly patienceMs: number;
  readonly network: Network;
}

export interface PressedKey {
  readonly digit: string;
  readonly atMs: number;
  /** It came while the menu spoke and would not be interrupted. */
  readonly isIgnored: boolean;
}

const FRAME_MS = 20;

/** One caller of a dial-in number. Times are `performance.now()`. */
export class IvrCall implements IvrMediaHost {
  readonly callId: string;
  /** The user part that was dialled. */
  readonly number: string;
  readonly menu: Menu;
  readonly keys: PressedKey[] = [];
  /** When the caller got where. */
  readonly places: { readonly place: Place; readonly atMs: number }[] = [];
  /** Sounds of the caller, keys aside: while keys decided where it gets, and later. */
  readonly heardMs = { inMenu: 0, later: 0 };
  readonly #manners: IvrManners;
  readonly #dialog: IvrDialog;
  readonly #prompts: Prompts;
  #media: IvrMedia | null = null;
  #silentMs = 0;
  #isOver = false;
  #hangsUp = false;

  constructor(invite: SipRequest, number: string, manners: IvrManners, wire: DialogWire) {
    this.callId = invite.headers['call-id'];
    this.number = number;
    this.#manners = manners;
    this.#dialog = new IvrDialog(invite, wire);
    this.#prompts = new Prompts(manners.promptMs);
    this.menu = new Menu(manners.meetings, manners.attempts, this);
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** How the keys of the caller break RFC 4733. */
  get faults(): readonly string[] {
    return this.#media?.reader.faults ?? [];
  }

  /** The keys that counted. */
  get digits(): string {
    return this.keys
      .filter(({ isIgnored }) => !isIgnored)
      .map(({ digit }) => digit)
      .join('');
  }

  /** When the last key was released, of a caller that presses them as telephone-events. */
  get lastKeyEndMs(): number {
    return this.#media?.reader.digits.at(-1)?.endMs ?? Number.NaN;
  }

  /** Waits until the caller is at a place; returns since when. */
  async reaches(place: Place, deadlineMs?: number): Promise<number> {
    const reached = await waitFor(
      `the caller to reach ${place}, was at ${this.menu.place} with [${this.menu.entries}]`,
      () => this.places.find((each) => each.place === place),
      deadlineMs,
    );
    return reached.atMs;
  }

  async answer(): Promise<void> {
    this.#dialog.ring();
    const format = formatIn(this.#dialog.invite.content, this.#manners.digits);
    if (format === null) return this.#dialog.refuse(488, 'Not Acceptable Here');
    const media = await IvrMedia.open(this.#prompts, this.#manners.network, this);
    if (this.#isOver) return media.close();
    this.#media = media;
    this.#dialog.accept(answerTo(format, media.port));
    await this.#dialog.acknowledged;
    if (this.#isOver) return;
    media.start(format);
    this.moved('asks-id', false);
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

  tick(): void {
    if (this.#isOver || this.#media === null) return;
    this.#media.tick();
    if (this.#prompts.isPlaying) return;
    if (this.#hangsUp) this.hangUp();
    this.#silentMs += FRAME_MS;
    if (this.#silentMs >= this.#manners.patienceMs) this.menu.giveUp();
  }

  hangUp(): void {
    if (this.#isOver) return;
    this.#dialog.bye();
    this.close();
  }

  /** Somebody else in the meeting says something. */
  speaks(): void {
    this.#prompts.play('meeting');
  }

  /** Frees all but the BYE that still has to be answered. */
  close(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#media?.close();
  }

  /** Frees everything. */
  stop(): void {
    this.close();
    this.#dialog.close();
  }

  pressed(digit: string): void {
    const isIgnored = this.#prompts.isPlaying && !this.#manners.bargeIn;
    this.keys.push({ digit, atMs: performance.now(), isIgnored });
    if (isIgnored) return;
    this.#silentMs = 0;
    if (this.menu.isAsking) this.#prompts.stop();
    this.menu.press(digit);
  }

  heard(): void {
    this.heardMs[this.menu.isAsking ? 'inMenu' : 'later'] += FRAME_MS;
  }

  moved(place: Place, wasWrong: boolean): void {
    this.#silentMs = 0;
    this.places.push({ place, atMs: performance.now() });
    this.#prompts.play(...(wasWrong ? (['wrong', place] as const) : [place]));
    this.#hangsUp = place === 'hangs-up';
  }
}
