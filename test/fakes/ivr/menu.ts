/** A meeting that can be dialled into. */
export interface Meeting {
  readonly id: string;
  /** Empty: none is asked for. */
  readonly passcode: string;
  /** Where callers get first: into the meeting, into its waiting room, or where they wait for the host. */
  readonly lets: 'in' | 'to-waiting-room' | 'wait-for-host';
}

/** What the caller hears at a place. */
export type Place = 'asks-id' | 'asks-passcode' | 'waiting-room' | 'waits-for-host' | 'meeting' | 'hangs-up';

interface MenuHost {
  /** The caller is somewhere else, or was wrong and is asked again. */
  moved(place: Place, wasWrong: boolean): void;
}

const MAX_ENTRY = 32;

/** The menu of a dial-in number: what a caller has to press, and where that leads. */
export class Menu {
  /** What was entered, number signs included, in order. */
  readonly entries: string[] = [];
  readonly #meetings: readonly Meeting[];
  readonly #host: MenuHost;
  #place: Place = 'asks-id';
  #attemptsLeft: number;
  #typed = '';
  #meeting: Meeting | null = null;

  /** After `attempts` wrong entries, it hangs up. */
  constructor(meetings: readonly Meeting[], attempts: number, host: MenuHost) {
    this.#meetings = meetings;
    this.#attemptsLeft = attempts;
    this.#host = host;
  }

  get place(): Place {
    return this.#place;
  }

  /** Whether keys still decide where the caller gets. */
  get isAsking(): boolean {
    return this.#place === 'asks-id' || this.#place === 'asks-passcode';
  }

  press(digit: string): void {
    if (!this.isAsking) return;
    this.#typed += digit;
    if (digit === '#' || this.#typed.length >= MAX_ENTRY) this.#enter();
  }

  /** The caller has said nothing for too long. */
  giveUp(): void {
    if (this.isAsking) this.#go('hangs-up');
  }

  /** Somebody lets the caller in from the waiting room, or the host has come. */
  admit(): void {
    if (this.#place === 'waiting-room' || this.#place === 'waits-for-host') this.#go('meeting');
  }

  #enter(): void {
    const entry = this.#typed;
    this.#typed = '';
    this.entries.push(entry);
    if (this.#place === 'asks-id') this.#enterId(entry.slice(0, -1));
    else this.#enterPasscode(entry.slice(0, -1));
  }

  #enterId(id: string): void {
    this.#meeting = this.#meetings.find((each) => each.id === id) ?? null;
    if (this.#meeting === null) this.#wrong();
    else if (this.#meeting.passcode !== '') this.#go('asks-passcode');
    else this.#letIn(this.#meeting);
  }

  /** Nothing but a number sign skips the question for a participant id, as Zoom has it. A passcode may begin with a star. */
  #enterPasscode(passcode: string): void {
    const meeting = this.#meeting!;
    if (passcode === '') return;
    if (passcode.replace(/^\*/, '') === meeting.passcode) this.#letIn(meeting);
    else this.#wrong();
  }

  #letIn({ lets }: Meeting): void {
    if (lets === 'in') this.#go('meeting');
    else this.#go(lets === 'to-waiting-room' ? 'waiting-room' : 'waits-for-host');
  }

  #wrong(): void {
    this.#attemptsLeft--;
    if (this.#attemptsLeft <= 0) this.#go('hangs-up');
    else this.#host.moved(this.#place, true);
  }

  #go(place: Place): void {
    this.#place = place;
    this.#host.moved(place, false);
  }
}
