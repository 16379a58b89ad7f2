import { randomInt } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { assert } from '../../../../base/assert.ts';
import type { MediaControl } from '../../../contract/media-control.ts';
import type { MediaEvent } from '../../../contract/media-leg.ts';
import type { SipTrunk } from '../../../contract/sip-accounts.ts';
import {
  SIP_MEDIA_KIND,
  type SipCodec,
  type SipMediaCommand,
  type SipMediaConfig,
  type SipMediaOpen,
} from '../../media-protocol.ts';
import { isPrivateAddress } from '../address/private-address.ts';
import { PayloadTypes } from '../sdp/payload-types.ts';
import type { PortPool, RtpPair } from '../sdp/port-pool.ts';
import { newLocalKeys } from '../sdp/sdes.ts';
import { answerOffer } from '../sdp/sdp-answer.ts';
import type { LocalAudio, SrtpPolicy } from '../sdp/sdp-local.ts';
import { type AgreedMedia, agreeOnAnswer, writeOffer } from '../sdp/sdp-offer.ts';
import { type PeerDescription, parsePeerDescription } from '../sdp/sdp-peer.ts';
import type { SipObserver } from '../sip-observer.ts';

/** The trunk of a leg, as its media sees it. */
export interface MediaTrunk {
  readonly settings: Pick<SipTrunk, 'behindNat'>;
  /** Whether RTP may go to an address that the peer names. */
  mayFollow(host: string): boolean;
}

export interface LegMediaSettings {
  readonly bindHost: string;
  /** Milliseconds without RTP after which an answered call that is not on hold is lost. */
  readonly mediaTimeoutMs: number;
  readonly ports: PortPool;
  /** What calls may speak, in our order of preference. */
  readonly codecs: readonly SipCodec[];
  readonly observer: SipObserver;
}

/** While ringing or on hold silence is in order; a day stands for "no timeout". */
const NO_MEDIA_TIMEOUT_MS = 24 * 3_600_000;
const MAX_PORTS_TRIED = 50;
/** Below it are the services of systems, and nobody's RTP. */
const LOWEST_PORT = 1_024;

/** One leg's media as its signaling sees it: the port, our description, and what was agreed with the peer. */
export class LegMedia {
  readonly #control: MediaControl;
  readonly #settings: LegMediaSettings;
  readonly #sampleRateHz: number;
  readonly #trunk: MediaTrunk;
  readonly #payloadTypes = new PayloadTypes();
  #local: LocalAudio | null = null;
  #pair: RtpPair | null = null;
  #opening: Promise<void> = Promise.resolve();
  #released = false;
  #version = 1;
  #lastText = '';
  #agreed: AgreedMedia | null = null;
  #answered = false;
  #inEffect: Promise<void> = Promise.resolve();
  #signalingHost = '';

  /** `sampleRateHz`: of the call's room. */
  constructor(control: MediaControl, settings: LegMediaSettings, sampleRateHz: number, trunk: MediaTrunk) {
    this.#control = control;
    this.#settings = settings;
    this.#sampleRateHz = sampleRateHz;
    this.#trunk = trunk;
  }

  /** Sets where the peer's signaling comes from: its packets may come from there, too. */
  signalledBy(host: string): void {
    this.#signalingHost = host;
  }

  /** Opens the media leg on a worker, on the first pair of ports that is free. Rejects when none is. */
  async open(host: string, srtp: SrtpPolicy, onEvent: (event: MediaEvent) => void): Promise<void> {
    const pair = await this.#openOnFreePort(onEvent);
    this.#use(pair, host, srtp);
    if (this.#released) this.release();
  }

  /**
   * Takes ports that are bound already, so that our description can be written at once; the worker gets them in the
   * next turn of the event loop, and `inEffect` waits for it. False: none are bound, `open` it is.
   */
  openSoon(host: string, srtp: SrtpPolicy, onEvent: (event: MediaEvent) => void): boolean {
    const pair = this.#settings.ports.takeBound();
    if (pair === null) return false;
    this.#use(pair, host, srtp);
    this.#opening = nextTurn().then(() => (this.#released ? undefined : this.#openOn(pair, onEvent)));
    this.#opening.catch(() => {});
    return true;
  }

  #use(pair: RtpPair, host: string, srtp: SrtpPolicy): void {
    this.#pair = pair;
    this.#local = {
      host,
      rtpPort: pair.port,
      srtp,
      sessionId: randomInt(1, 2 ** 31),
      keys: newLocalKeys(),
      codecs: this.#settings.codecs,
      payloadTypes: this.#payloadTypes,
    };
  }

  async #openOnFreePort(onEvent: (event: MediaEvent) => void): Promise<RtpPair> {
    const { ports, observer } = this.#settings;
    for (let tries = 0; tries < MAX_PORTS_TRIED; tries += 1) {
      const pair = ports.take();
      if (pair === null) break;
      try {
        await this.#openOn(pair, onEvent);
        return pair;
      } catch (error) {
        ports.release(pair);
        if (!isTaken(error)) throw error;
      }
    }
    observer.count('rtp_ports_exhausted');
    throw new Error('no RTP port is free');
  }

  #openOn({ port, bound }: RtpPair, onEvent: (event: MediaEvent) => void): Promise<void> {
    const { bindHost } = this.#settings;
    const open: SipMediaOpen = { bindHost, rtpPort: port, sampleRateHz: this.#sampleRateHz, bound };
    return this.#control.open(SIP_MEDIA_KIND, open, onEvent);
  }

  get isOpen(): boolean {
    return this.#local !== null;
  }

  /** True once both sides know where to send. */
  get isAgreed(): boolean {
    return this.#agreed !== null;
  }

  get dtmfByRtp(): boolean {
    return this.#agreed?.dtmfPayloadType != null;
  }

  offer(): string {
    return this.#issue((version) => writeOffer(this.#localAudio(), version));
  }

  /** Takes the peer's answer to our offer; false when it cannot be used. */
  async acceptAnswer(sdp: string): Promise<boolean> {
    const description = parsePeerDescription(sdp);
    if (description === null) return false;
    this.#follow(description);
    const agreed = agreeOnAnswer(description, this.#localAudio());
    if (agreed === null) return false;
    await this.#configure(agreed);
    return true;
  }

  /**
   * Our answer to the peer's offer, which is put into effect meanwhile: a 200 need not wait for the worker. Null
   * when nothing is in common.
   */
  answer(offer: PeerDescription): string | null {
    this.#follow(offer);
    const answer = answerOffer(offer, this.#localAudio());
    if (answer === null) return null;
    const text = this.#issue((version) => answer.write(version));
    this.#inEffect = this.#configure(answer.agreed);
    // Whoever depends on it asks `inEffect`.
    this.#inEffect.catch(() => {});
    return text;
  }

  /** Resolves when the last answer is in effect; rejects when it cannot be. */
  inEffect(): Promise<void> {
    return this.#inEffect;
  }

  /** From now on silence of the peer means that it is lost. */
  async confirmAnswered(): Promise<void> {
    this.#answered = true;
    await this.#inEffect;
    if (this.#agreed !== null) await this.#configure(this.#agreed);
  }

  sendDtmf(digits: string): Promise<void> {
    return this.#control.command({ type: 'dtmf', digits } satisfies SipMediaCommand);
  }

  /** Gives the port back; safe to call twice, and before `open` has finished. */
  release(): void {
    this.#released = true;
    if (this.#pair === null) return;
    this.#settings.ports.release(this.#pair);
    this.#pair = null;
  }

  /** A peer that holds by 0.0.0.0 keeps the address that was agreed before. */
  async #configure(agreed: AgreedMedia): Promise<void> {
    const former = this.#agreed;
    const isNowhere = agreed.remoteHost === '0.0.0.0' || agreed.remoteHost === '::';
    this.#agreed =
      isNowhere && former !== null
        ? {
            ...agreed,
            remoteHost: former.remoteHost,
            remotePort: former.remotePort,
            remoteRtcpPort: former.remoteRtcpPort,
          }
        : agreed;
    const inForce = this.#agreed;
    await this.#opening;
    await this.#control.configure({
      ...inForce,
      ...this.#destinationOf(inForce),
      remotePlausible: !isPrivateAddress(inForce.remoteHost) || isPrivateAddress(this.#signalingHost),
      signalingHost: this.#signalingHost,
      behindNat: this.#trunk.settings.behindNat,
      mediaTimeoutMs: this.#timeoutMs(agreed),
    } satisfies SipMediaConfig);
  }

  /**
   * Where RTP goes before the peer has sent any. Not to every address that a description names, or anybody who calls could
   * have the gateway send to its own network, or to services on low ports: then the peer has to speak first.
   */
  #destinationOf({
    remoteHost,
    remotePort,
    remoteRtcpPort,
  }: AgreedMedia): Pick<SipMediaConfig, 'remoteHost' | 'remotePort' | 'remoteRtcpPort'> {
    if (remotePort < LOWEST_PORT || !this.#trunk.mayFollow(remoteHost))
      return { remoteHost: null, remotePort: 0, remoteRtcpPort: 0 };
    return {
      remoteHost,
      remotePort,
      remoteRtcpPort: remoteRtcpPort < LOWEST_PORT ? remotePort : remoteRtcpPort,
    };
  }

  #timeoutMs({ sending, receiving }: AgreedMedia): number {
    return this.#answered && sending && receiving ? this.#settings.mediaTimeoutMs : NO_MEDIA_TIMEOUT_MS;
  }

  /** Our description with a new version when it says something new (RFC 3264 section 8). */
  #issue(write: (version: number) => string): string {
    if (this.#lastText !== '' && write(this.#version) !== this.#lastText) this.#version += 1;
    this.#lastText = write(this.#version);
    return this.#lastText;
  }

  /** The peer's payload types hold for our next offer. */
  #follow({ audio }: PeerDescription): void {
    for (const { formats } of audio) this.#payloadTypes.follow(formats);
  }

  #localAudio(): LocalAudio {
    assert(this.#local !== null, 'media is used before it is open');
    return this.#local;
  }
}

function isTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
}
