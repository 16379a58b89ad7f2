import { PHONE_PLATFORM } from '../base/platform.ts';
import type { Termination } from '../base/termination.ts';
import type { LegObserver, PlatformLeg } from '../connectors/contract/call-leg.ts';
import type { RingAnswer } from '../connectors/contract/connector.ts';
import type { MediaControl } from '../media/media-control.ts';
import { PCM_MEDIA } from '../media/pcm-media.ts';
import { newPcmRings } from '../rings/bridge-rings.ts';
import { PcmPort } from '../rings/pcm-port.ts';
import type { CallDomain } from './call-domain.ts';
import { ringCall } from './ring-call.ts';

/** Somebody who calls an agent from a browser. */
export interface BrowserCaller {
  readonly accountId: string;
  readonly agentId: string;
  /** Of the audio in both directions, in Hz. */
  readonly sampleRateHz: number;
  /** The call rings under this id. */
  rings(callId: string): void;
  /** Takes what the caller hears: 20 ms of 16-bit PCM, valid only during the call. */
  hears(pcm: Uint8Array): void;
  /** Nothing follows. */
  over(): void;
}

/** What such a call shows in place of a number. */
const CALLER = 'browser';

/**
 * Lets a call from a browser ring, as one of the platform `sip`: agents treat it like any phone call. Its leg, whose audio
 * the caller of this function carries, is null when there is no room for the call.
 */
export function callFromBrowser(domain: CallDomain, caller: BrowserCaller): [RingAnswer, BrowserLeg | null] {
  const { accountId, agentId, sampleRateHz } = caller;
  let leg: BrowserLeg | null = null;
  const answer = ringCall(domain, PHONE_PLATFORM, {
    accountId,
    agentId,
    sampleRateHz,
    login: { kind: 'trunk' },
    caller: CALLER,
    target: '',
    autoAnswer: false,
    capabilities: ['audio_in', 'audio_out'],
    onCall: (callId) => caller.rings(callId),
    take: (media, observer) => {
      leg = new BrowserLeg(media, observer, caller);
      return leg;
    },
  });
  return [answer, leg];
}

/** The caller's side of the call. */
export class BrowserLeg implements PlatformLeg {
  readonly released: Promise<void>;
  readonly #media: MediaControl;
  readonly #observer: LegObserver;
  readonly #caller: BrowserCaller;
  readonly #release: () => void;
  /** From the answer on: a call that only rings takes no memory for audio. */
  #port: PcmPort | null = null;
  #state: 'ringing' | 'opening' | 'active' | 'over' = 'ringing';

  constructor(media: MediaControl, observer: LegObserver, caller: BrowserCaller) {
    this.#media = media;
    this.#observer = observer;
    this.#caller = caller;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.released = promise;
    this.#release = resolve;
  }

  accept(): void {
    if (this.#state !== 'ringing') return;
    this.#state = 'opening';
    const rings = newPcmRings(1, this.#caller.sampleRateHz);
    this.#media
      .open(PCM_MEDIA, rings, () => {})
      .then(
        () => this.#opened(new PcmPort(rings)),
        ({ message }: Error) => this.#end('lost', { result: 'failed', reason: message }),
      );
  }

  refuse(): void {
    this.#end('local', { result: 'refused', reason: 'refused' });
  }

  hangUp(): void {
    this.#end('local', this.#ending('not answered'));
  }

  /** The caller has left. */
  left(): void {
    this.#end('remote', this.#ending('caller hung up'));
  }

  /** Plays what the caller says. What does not fit is dropped. */
  says(pcm: Int16Array): void {
    this.#port?.say(0, pcm, this.#caller.sampleRateHz);
  }

  #opened(port: PcmPort): void {
    if (this.#state !== 'opening') return;
    this.#state = 'active';
    this.#port = port;
    port.listen((pcm) => this.#caller.hears(pcm));
    this.#observer.answered();
  }

  #ending(unanswered: string): Termination {
    if (this.#state === 'active') return { result: 'completed', reason: 'hung up' };
    return { result: 'missed', reason: unanswered };
  }

  #end(by: 'local' | 'remote' | 'lost', termination: Termination): void {
    if (this.#state === 'over') return;
    this.#state = 'over';
    this.#port?.close();
    this.#port = null;
    this.#observer.ended(by, termination);
    this.#caller.over();
    this.#release();
  }
}
