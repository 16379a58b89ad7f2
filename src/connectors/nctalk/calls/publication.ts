import { randomUUID } from 'node:crypto';
import type { CancelTimer, Clock } from '../../../base/time.ts';
import type { PeerMessage } from '../signaling/hpb-messages.ts';
import { type IceCandidate, OWN } from '../voice/talk-protocol.ts';
import { type CallMedia, candidateData, iceCandidate, OwnCandidates, offerData } from './descriptions.ts';

export interface PublicationDeps {
  readonly clock: Clock;
  readonly media: CallMedia;
  /** Sends the server something about the agent's own stream. */
  send(data: object): void;
  /** There is no use in trying again, except with another session. */
  failed(reason: string): void;
}

const ANSWER_MS = 5_000;
/** The server needs some time to find its media server again. */
const EVERY_MS = 5_000;
const MAX_AGAIN = 3;
const RESTARTED = 'the media server of the Nextcloud was restarted';

/** An offer of ours, and what has come of it. */
interface Offer {
  readonly candidates: OwnCandidates;
  readonly sid: string;
  isAnswered: boolean;
}

/** What the agent says, on its way to the server: one connection, which is made again when it fails. */
export class Publication {
  readonly #deps: PublicationDeps;
  /** Null: there is none, or it has failed. */
  #offer: Offer | null = null;
  #isOn = false;
  #startedMs = 0;
  #again = 0;
  #cancelTimer: CancelTimer = () => undefined;

  constructor(deps: PublicationDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#isOn = true;
    this.#again = 0;
    this.#publish();
  }

  stop(): void {
    this.#isOn = false;
    this.#offer = null;
    this.#cancelTimer();
  }

  /** Takes what the server says of it. */
  take({ type, sid = '', payload }: PeerMessage): void {
    const { media } = this.#deps;
    const offer = this.#offer;
    if (offer === null) return;
    if (type === 'answer' && payload?.sdp !== undefined && !offer.isAnswered)
      this.#answered(offer, sid, payload.sdp);
    if (type === 'candidate' && payload?.candidate)
      media.command('candidate', OWN, iceCandidate(payload.candidate)).catch(() => undefined);
  }

  /** Takes a candidate of ours. */
  candidate(candidate: IceCandidate): void {
    this.#offer?.candidates.add(candidate);
  }

  connected(): void {
    this.#again = 0;
    this.#cancelTimer();
  }

  /** The connection is lost, or did not come about: makes another one, at most every 5 s. */
  failed(reason: string): void {
    if (!this.#isOn || this.#offer === null) return;
    this.#offer = null;
    if (this.#again >= MAX_AGAIN) {
      this.stop();
      return this.#deps.failed(reason);
    }
    this.#again++;
    const waitMs = Math.max(0, this.#startedMs + EVERY_MS - this.#deps.clock.monotonicMs());
    this.#after(waitMs, () => this.#publish());
  }

  #publish(): void {
    const { clock, media, send } = this.#deps;
    this.#startedMs = clock.monotonicMs();
    const offer: Offer = { sid: randomUUID(), candidates: new OwnCandidates(), isAnswered: false };
    this.#offer = offer;
    this.#after(ANSWER_MS, () => this.failed('the signaling server did not take what the agent says'));
    media.command('publish').then(
      (sdp) => {
        if (offer === this.#offer) send(offerData(offer.sid, sdp));
      },
      ({ message }: Error) => this.#failed(offer, message),
    );
  }

  #answered(offer: Offer, sid: string, sdp: string): void {
    const { media, send } = this.#deps;
    // The server goes on with what it had before its media server was restarted, which nobody can subscribe to any more.
    if (sid !== '' && sid !== offer.sid) {
      this.stop();
      return this.#deps.failed(RESTARTED);
    }
    offer.isAnswered = true;
    offer.candidates.begin((candidate) => send(candidateData(offer.sid, candidate)));
    this.#after(ANSWER_MS, () => this.failed('the media server could not be reached'));
    media.command('answered', sdp).catch(({ message }: Error) => this.#failed(offer, message));
  }

  #failed(offer: Offer, reason: string): void {
    if (offer === this.#offer) this.failed(reason);
  }

  #after(delayMs: number, action: () => void): void {
    this.#cancelTimer();
    this.#cancelTimer = this.#deps.clock.after(delayMs, action);
  }
}
