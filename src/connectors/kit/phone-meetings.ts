import { GatewayError } from '../../base/errors.ts';
import { pastedLink } from '../../base/pasted-link.ts';
import { type Capability, noLoginText, type Platform } from '../../base/platform.ts';
import { CANCELLED, type Termination } from '../../base/termination.ts';
import type { MediaControl } from '../../media/media-control.ts';
import type { LegObserver, PlatformLeg, SendsDtmf } from '../contract/call-leg.ts';
import type { CallOffer, CallWay, DialRequest, PlacesCalls } from '../contract/connector.ts';
import type { DialsSip, SipTarget } from '../contract/sip-dialing.ts';

/** Number or address of a meeting, and the keys that let a caller in. */
export type MeetingEntry = Pick<SipTarget, 'target' | 'dtmf'>;

/** What `meeting_url` names: something to dial as it is, or a meeting whose number has to be looked up. */
export type MeetingTarget<Meeting> =
  | {
      readonly kind: 'dial';
      readonly target: string;
      /** Dialled instead by accounts that can. */
      readonly rather?: string;
    }
  | { readonly kind: 'meeting'; readonly meeting: Meeting };

/** A platform whose meetings have phone numbers, which its API tells to connected accounts. */
export interface MeetingDirectory<Meeting, Found> {
  readonly platform: Platform;
  /** As in `PlacesCalls`. */
  readonly ways: readonly CallWay[];
  /** What a call in a meeting offers beside audio. Absent: nothing. */
  readonly offers?: readonly Capability[];
  /** Sample rate of calls, in Hz. */
  readonly sampleRateHz: number;
  /** Why a meeting cannot be joined without a connected account; says what else would do. Absent: `read` sees to it. */
  readonly needsAccount?: string;
  /** Why none can be joined without a trunk. */
  readonly needsTrunk: string;
  /** Stand for the ways in while they are not known. */
  readonly likely: readonly MeetingEntry[];
  /** As in `SipDial`. */
  readonly outcomes?: ReadonlyMap<number, Termination>;
  /** Reads `meeting_url`, which is not empty, and as it was before it was mailed. Throws GatewayError `invalid_meeting_url`. */
  read(request: DialRequest): MeetingTarget<Meeting>;
  /** Looks a meeting up with a connection; null: creates one. Rejects with a GatewayError. */
  find(connectionId: string, meeting: Meeting | null, signal: AbortSignal): Promise<Found>;
  /** Where people join it; '' when the platform does not say. */
  urlOf(found: Found): string;
  /** The ways in, the best one first. Throws GatewayError `platform_failed` when there is none. */
  entriesTo(found: Found): readonly MeetingEntry[];
  /** The call is in the meeting, until `signal` aborts. */
  follow?(joined: JoinedMeeting<Found>, observer: LegObserver, signal: AbortSignal): void;
}

/** A meeting that a call has joined. */
export interface JoinedMeeting<Found> {
  readonly connectionId: string;
  readonly found: Found;
  /** The way that it took. */
  readonly entry: MeetingEntry;
  /** The agent's name in the meeting, where the way shows one. */
  readonly displayName: string;
}

const AUDIO: readonly Capability[] = ['audio_in', 'audio_out'];

/** Any trunk takes it. */
export const ANY_NUMBER: MeetingEntry = { target: 'tel:+16505550100', dtmf: '' };

/** Logs what goes wrong beside calls, and why one failed that nobody can be blamed for. */
export type LogMeetings = (
  level: 'info' | 'warn' | 'error',
  text: string,
  detail: Readonly<Record<string, unknown>>,
) => void;

export interface PhoneMeetingsDeps {
  readonly sip: DialsSip;
  readonly log: LogMeetings;
}

/** Takes agents to meetings by phone, over their account's trunk. */
export class PhoneMeetings<Meeting, Found> implements PlacesCalls {
  readonly loginKinds = ['connection', 'trunk'] as const;
  readonly ways: readonly CallWay[];
  readonly offers: readonly Capability[];
  readonly takesDtmf = true;
  readonly #directory: MeetingDirectory<Meeting, Found>;
  readonly #sip: DialsSip;
  readonly #log: LogMeetings;

  constructor(directory: MeetingDirectory<Meeting, Found>, { sip, log }: PhoneMeetingsDeps) {
    this.ways = directory.ways;
    this.offers = [...AUDIO, ...(directory.offers ?? [])];
    this.#directory = directory;
    this.#sip = sip;
    this.#log = log;
  }

  prepare(request: DialRequest): CallOffer {
    const { platform, sampleRateHz, needsTrunk, likely } = this.#directory;
    const { accountId, login, dtmf } = request;
    const hasWay = likely.some((entry) => this.#takes(accountId, entry));
    if (!hasWay && login.kind !== 'connection' && this.#isLookedUp(request))
      throw new GatewayError('platform_not_configured', noLoginText(platform));
    const target = this.#read(request);
    if (target?.kind === 'dial') this.#sip.check({ accountId, target: target.target, dtmf });
    else if (!hasWay) throw new GatewayError('no_sip_trunk', needsTrunk);
    return { capabilities: AUDIO, sampleRateHz };
  }

  dial(request: DialRequest, media: MediaControl, observer: LegObserver): PlatformLeg {
    const directory = this.#directory;
    const { sampleRateHz, outcomes } = directory;
    const { accountId, login, dtmf, agentName: displayName } = request;
    const call = { accountId, displayName, sampleRateHz, ...(outcomes && { outcomes }) };
    const target = this.#read(request);
    if (target?.kind === 'dial')
      return this.#sip.dial({ ...call, target: target.target, dtmf }, media, observer);
    // What `#read` has not refused has one.
    const connectionId = login.kind === 'connection' ? login.id : '';
    const wayInto = (found: Found) => {
      const entries = directory.entriesTo(found);
      return entries.find((each) => this.#takes(accountId, each)) ?? entries.at(-1)!;
    };
    return new DialInLeg<Found>(
      {
        find: (signal) => directory.find(connectionId, target?.meeting ?? null, signal),
        madeUrl: (found) => (target === null ? directory.urlOf(found) : null),
        dial: (found, events) => this.#sip.dial({ ...call, ...wayInto(found) }, media, events),
        follow: (found, signal) => {
          directory.follow?.({ connectionId, found, entry: wayInto(found), displayName }, observer, signal);
        },
        log: this.#log,
      },
      observer,
    );
  }

  /** Null: the meeting is to be created. */
  #read(request: DialRequest): MeetingTarget<Meeting> | null {
    const { accountId, dtmf } = request;
    const isConnected = request.login.kind === 'connection';
    const target = pastedLink(request.target);
    if (target === '') {
      if (isConnected) return null;
      throw new GatewayError('meeting_url_required');
    }
    const read = this.#directory.read({ ...request, target });
    if (read.kind === 'meeting' && !isConnected)
      throw new GatewayError('platform_not_connected', this.#directory.needsAccount);
    if (read.kind !== 'dial' || read.rather === undefined) return read;
    return this.#takes(accountId, { target: read.rather, dtmf })
      ? { kind: 'dial', target: read.rather }
      : read;
  }

  /** Whether a connection is needed for what `meeting_url` says: it is neither empty nor to be dialled as it is. */
  #isLookedUp(request: DialRequest): boolean {
    const target = pastedLink(request.target);
    if (target === '') return false;
    try {
      return this.#directory.read({ ...request, target }).kind !== 'dial';
    } catch {
      return true;
    }
  }

  #takes(accountId: string, entry: MeetingEntry): boolean {
    try {
      this.#sip.check({ accountId, ...entry });
      return true;
    } catch {
      return false;
    }
  }
}

interface DialIn<Place> {
  /** Finds out whom to dial. Rejects with a GatewayError; settles soon after `signal` aborts. */
  find(signal: AbortSignal): Promise<Place>;
  /** URL of the place, when it was made for this call; null: it was there. */
  madeUrl(place: Place): string | null;
  /** Dials. Everything that follows is reported to `observer`. */
  dial(place: Place, observer: LegObserver): PlatformLeg;
  /** The call is active. `signal` aborts when it is over. */
  follow(place: Place, signal: AbortSignal): void;
  readonly log: LogMeetings;
}

/** A call into a meeting whose number or address is looked up first. */
class DialInLeg<Place> implements PlatformLeg {
  readonly #dialIn: DialIn<Place>;
  readonly #observer: LegObserver;
  readonly #over = new AbortController();
  readonly #released = Promise.withResolvers<void>();
  #leg: PlatformLeg | null = null;

  constructor(dialIn: DialIn<Place>, observer: LegObserver) {
    this.#dialIn = dialIn;
    this.#observer = observer;
    void this.#open();
  }

  get released(): Promise<void> {
    return this.#released.promise;
  }

  get dtmf(): SendsDtmf {
    return {
      sendDtmf: async (digits) => {
        const dtmf = this.#leg?.dtmf;
        if (dtmf === undefined) throw new GatewayError('call_not_active');
        await dtmf.sendDtmf(digits);
      },
    };
  }

  /** No-op: only inbound legs can be accepted. */
  accept(): void {}

  refuse(): void {
    this.hangUp();
  }

  hangUp(): void {
    if (this.#leg !== null) this.#leg.hangUp();
    else this.#end('local', CANCELLED);
  }

  async #open(): Promise<void> {
    const { signal } = this.#over;
    try {
      const place = await this.#dialIn.find(signal);
      if (signal.aborted) return;
      const url = this.#dialIn.madeUrl(place);
      if (url !== null) this.#observer.created(url);
      const leg = this.#dialIn.dial(place, this.#observerOf(place));
      this.#leg = leg;
      void leg.released.then(this.#released.resolve);
    } catch (error) {
      const isExpected = error instanceof GatewayError;
      if (!isExpected && !signal.aborted)
        this.#dialIn.log('error', 'a call could not be dialled into its meeting', { err: error });
      const { message } = isExpected ? error : new GatewayError('platform_failed');
      this.#end('lost', { result: 'failed', reason: message });
    }
  }

  #observerOf(place: Place): LegObserver {
    const observer = this.#observer;
    return {
      ringing: () => observer.ringing(),
      earlyMedia: () => observer.earlyMedia(),
      waiting: (reason) => observer.waiting(reason),
      created: (url) => observer.created(url),
      answered: () => {
        observer.answered();
        this.#dialIn.follow(place, this.#over.signal);
      },
      held: (onHold) => observer.held(onHold),
      capabilities: (list) => observer.capabilities(list),
      participants: (list) => observer.participants(list),
      speaking: (voice, on) => observer.speaking(voice, on),
      chat: (message) => observer.chat(message),
      said: (line) => observer.said(line),
      dtmf: (digit) => observer.dtmf(digit),
      ended: (by, termination) => {
        this.#over.abort();
        observer.ended(by, termination);
      },
    };
  }

  /** Ends the call before it was dialled. Only the first call counts. */
  #end(by: 'local' | 'lost', termination: Termination): void {
    if (this.#over.signal.aborted) return;
    this.#over.abort();
    this.#observer.ended(by, termination);
    this.#released.resolve();
  }
}
