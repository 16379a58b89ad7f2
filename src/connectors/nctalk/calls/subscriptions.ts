import type { CancelTimer, Clock } from '../../../base/time.ts';
import type { PeerMessage } from '../signaling/hpb-messages.ts';
import { type IceCandidate, MAX_SUBSCRIPTIONS } from '../voice/talk-protocol.ts';
import {
  answerData,
  type CallMedia,
  candidateData,
  iceCandidate,
  OwnCandidates,
  ROOM_TYPE,
} from './descriptions.ts';

export interface SubscriptionsDeps {
  readonly clock: Clock;
  readonly media: CallMedia;
  /** Sends the server something about the stream of a person. `id`: comes back with a refusal. */
  send(personId: string, data: object, id?: string): void;
}

/** Pauses before the next request, while none has led to an offer. Then the person must do something first. */
const PAUSES_MS = [1_000, 2_000, 4_000, 8_000] as const;
/** Least time between two connections for one person: each takes a thread some milliseconds. */
const RENEW_MS = 1_000;
/** For a connection to come about. */
const CONNECT_MS = 10_000;
/** Least time in which one person takes the place of another. */
const SWAP_MS = 2_000;

/** The people who are heard: a connection for each, which is asked for again as long as it makes sense. */
export class Subscriptions {
  readonly #deps: SubscriptionsDeps;
  readonly #heard = new Map<string, Subscription>();
  /** When whoever could be heard has spoken. */
  readonly #spokeMs = new Map<string, number>();
  #people: readonly string[] = [];
  #swappedMs = Number.NEGATIVE_INFINITY;

  constructor(deps: SubscriptionsDeps) {
    this.#deps = deps;
  }

  /** Replaces the list of the people in the call who can be heard. */
  set(personIds: readonly string[]): void {
    this.#people = personIds;
    const present = new Set(personIds);
    for (const personId of this.#heard.keys()) if (!present.has(personId)) this.#drop(personId);
    for (const personId of this.#spokeMs.keys()) if (!present.has(personId)) this.#spokeMs.delete(personId);
    this.#fill();
  }

  /** Somebody says that they can be heard now: asks them again, and makes room for them. */
  announced(personId: string): void {
    if (!this.#people.includes(personId)) return;
    const nowMs = this.#deps.clock.monotonicMs();
    this.#spokeMs.set(personId, nowMs);
    const known = this.#heard.get(personId);
    if (known) return known.ask();
    if (this.#heard.size >= MAX_SUBSCRIPTIONS) {
      if (nowMs < this.#swappedMs + SWAP_MS) return;
      this.#swappedMs = nowMs;
      this.#drop(this.#quietest());
    }
    this.#fill();
  }

  spoke(personId: string): void {
    if (this.#heard.has(personId)) this.#spokeMs.set(personId, this.#deps.clock.monotonicMs());
  }

  /** Takes what the server says of a person's stream. */
  take(message: PeerMessage): void {
    this.#heard.get(message.from)?.take(message);
  }

  /** The server could not do what was asked for about a person. */
  refused(personId: string): void {
    this.#heard.get(personId)?.refused();
  }

  /** Takes a candidate of ours. */
  candidate(personId: string, candidate: IceCandidate): void {
    this.#heard.get(personId)?.candidate(candidate);
  }

  connected(personId: string): void {
    this.#heard.get(personId)?.connected();
  }

  failed(personId: string): void {
    this.#heard.get(personId)?.failed();
  }

  /** What was asked for shortly before may be lost. */
  askAgain(): void {
    for (const subscription of this.#heard.values()) subscription.ask();
  }

  /** Forgets everybody. The media end otherwise. */
  clear(): void {
    for (const subscription of this.#heard.values()) subscription.close();
    this.#heard.clear();
    this.#spokeMs.clear();
    this.#people = [];
  }

  #fill(): void {
    const waiting = this.#people.filter((personId) => !this.#heard.has(personId));
    const first = waiting.toSorted((one, other) => this.#lastMs(other) - this.#lastMs(one));
    for (const personId of first.slice(0, Math.max(0, MAX_SUBSCRIPTIONS - this.#heard.size))) {
      const subscription = new Subscription(this.#deps, personId);
      this.#heard.set(personId, subscription);
      subscription.ask();
    }
  }

  #quietest(): string {
    const [quietest = ''] = [...this.#heard.keys()].toSorted(
      (one, other) => this.#lastMs(one) - this.#lastMs(other),
    );
    return quietest;
  }

  #lastMs(personId: string): number {
    return this.#spokeMs.get(personId) ?? Number.NEGATIVE_INFINITY;
  }

  #drop(personId: string): void {
    this.#heard.get(personId)?.close();
    this.#heard.delete(personId);
    this.#deps.media.command('unsubscribe', personId).catch(() => undefined);
  }
}

/** An offer of the server's for one person's stream. */
interface Offered {
  readonly sid: string;
  readonly candidates: OwnCandidates;
}

/** One person's stream. */
class Subscription {
  readonly #deps: SubscriptionsDeps;
  readonly #personId: string;
  #offered: Offered | null = null;
  #isConnected = false;
  #tries = 0;
  #isOver = false;
  #madeMs = Number.NEGATIVE_INFINITY;
  #cancelTimer: CancelTimer = () => undefined;
  /** An offer that waits for its time. */
  #cancelRenewal: CancelTimer = () => undefined;

  constructor(deps: SubscriptionsDeps, personId: string) {
    this.#deps = deps;
    this.#personId = personId;
  }

  /** Asks for an offer, unless there is a connection, or one is being made. From the first pause on. */
  ask(): void {
    if (this.#isOver || this.#offered !== null) return;
    this.#tries = 0;
    this.#request();
  }

  take({ type, sid = '', payload }: PeerMessage): void {
    if (this.#isOver) return;
    if (type === 'offer' && payload?.sdp !== undefined) return this.#renew(sid, payload.sdp);
    if (type === 'candidate' && payload?.candidate && this.#isAbout(sid))
      this.#deps.media
        .command('candidate', this.#personId, iceCandidate(payload.candidate))
        .catch(() => undefined);
  }

  refused(): void {
    if (this.#isConnected) return;
    this.#offered = null;
    this.#again();
  }

  candidate(candidate: IceCandidate): void {
    this.#offered?.candidates.add(candidate);
  }

  connected(): void {
    if (this.#offered === null) return;
    this.#isConnected = true;
    this.#tries = 0;
    this.#cancelTimer();
  }

  failed(): void {
    this.#isConnected = false;
    this.#offered = null;
    this.#again();
  }

  close(): void {
    this.#isOver = true;
    this.#cancelTimer();
    this.#cancelRenewal();
  }

  #request(): void {
    this.#deps.send(this.#personId, { type: 'requestoffer', roomType: ROOM_TYPE }, this.#personId);
    this.#again();
  }

  /** A person who does not send is not offered at all, and nobody says so. */
  #again(): void {
    this.#cancelTimer();
    const pauseMs = PAUSES_MS[this.#tries];
    if (this.#isOver || pauseMs === undefined) return;
    this.#tries++;
    this.#cancelTimer = this.#deps.clock.after(pauseMs, () => this.#request());
  }

  /** Servers leave the `sid` out at times. */
  #isAbout(sid: string): boolean {
    return this.#offered !== null && (sid === '' || sid === this.#offered.sid);
  }

  /** Another offer replaces the connection, but not at once again. */
  #renew(sid: string, sdp: string): void {
    const { clock, media, send } = this.#deps;
    const personId = this.#personId;
    const waitMs = this.#madeMs + RENEW_MS - clock.monotonicMs();
    this.#cancelRenewal();
    if (waitMs > 0) {
      this.#cancelRenewal = clock.after(waitMs, () => this.#renew(sid, sdp));
      return;
    }
    this.#cancelTimer();
    this.#madeMs = clock.monotonicMs();
    this.#isConnected = false;
    const offered = { sid, candidates: new OwnCandidates() };
    this.#offered = offered;
    const isCurrent = (): boolean => !this.#isOver && offered === this.#offered;
    media.command('subscribe', personId, sdp).then(
      (answer) => {
        if (!isCurrent()) return;
        send(personId, answerData(sid, answer), personId);
        offered.candidates.begin((candidate) => send(personId, candidateData(sid, candidate)));
        if (!this.#isConnected) this.#cancelTimer = clock.after(CONNECT_MS, () => this.failed());
      },
      () => {
        if (isCurrent()) this.failed();
      },
    );
  }
}
