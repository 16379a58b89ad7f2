import { randomUUID } from 'node:crypto';
import type { CancelTimer, Clock } from '../../../base/time.ts';
import type { PeerMessage } from '../signaling/hpb-messages.ts';
import { type IceCandidate, OWN } from '../voice/talk-protocol.ts';
import { type CallMedia, candidateData, iceCandidate, Negotiation, offerData } from './negotiation.ts';

export interface PublicationDeps {
  readonly clock: Clock;
  readonly media: CallMedia;
  /** Sends the server something about the agent's own stream. */
  send(data: object): void;
  /** It was tried again as often as it may be. */
  failed(reason: string): void;
}

const ANSWER_MS = 5_000;
/** The server needs some time to find its media server again. */
const EVERY_MS = 5_000;
const MAX_AGAIN = 3;

/** What the agent says, on its way to the server: one connection, which is made again when it fails. */
export class Publication {
  readonly #deps: PublicationDeps;
  #negotiation: Negotiation | null = null;
  #startedMs = 0;
  #again = 0;
  #cancelTimer: CancelTimer = () => undefined;

  constructor(deps: PublicationDeps) {
    this.#deps = deps;
  }

  /** Begins, or begins again. */
  start(): void {
    const { clock, media, send } = this.#deps;
    this.#startedMs = clock.monotonicMs();
    const negotiation = new Negotiation(randomUUID(), (candidate) =>
      send(candidateData(negotiation.sid, candidate)),
    );
    this.#negotiation = negotiation;
    this.#after(ANSWER_MS, () => this.failed('the signaling server did not take what the agent says'));
    media.command('publish').then(
      (sdp) => {
        if (negotiation !== this.#negotiation) return;
        send(offerData(negotiation.sid, sdp));
        negotiation.told();
      },
      ({ message }: Error) => {
        if (negotiation === this.#negotiation) this.failed(message);
      },
    );
  }

  stop(): void {
    this.#negotiation = null;
    this.#cancelTimer();
  }

  /** Takes what the server says of it. */
  take({ type, sid, payload }: PeerMessage): void {
    const { media } = this.#deps;
    if (this.#negotiation === null || !this.#negotiation.isAbout(sid)) return;
    if (type === 'answer' && payload?.sdp !== undefined) {
      const negotiation = this.#negotiation;
      this.#after(ANSWER_MS, () => this.failed('the media server could not be reached'));
      media.command('answered', payload.sdp).catch(({ message }: Error) => {
        if (negotiation === this.#negotiation) this.failed(message);
      });
    }
    if (type === 'candidate' && payload?.candidate)
      media.command('candidate', OWN, iceCandidate(payload.candidate)).catch(() => undefined);
  }

  /** Takes a candidate of ours. */
  candidate(candidate: IceCandidate): void {
    this.#negotiation?.candidate(candidate);
  }

  connected(): void {
    this.#again = 0;
    this.#cancelTimer();
  }

  /** The connection is lost, or did not come about: makes another one, at most every 5 s. */
  failed(reason: string): void {
    if (this.#negotiation === null) return;
    if (this.#again >= MAX_AGAIN) {
      this.stop();
      return this.#deps.failed(reason);
    }
    this.#again++;
    this.#negotiation.close();
    this.#after(Math.max(0, this.#startedMs + EVERY_MS - this.#deps.clock.monotonicMs()), () => this.start());
  }

  #after(delayMs: number, action: () => void): void {
    this.#cancelTimer();
    this.#cancelTimer = this.#deps.clock.after(delayMs, action);
  }
}
