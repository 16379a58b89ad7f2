import { randomInt } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { assert } from '../../../../base/assert.ts';
import { GatewayError, Overloaded } from '../../../../base/errors.ts';
import type { MediaControl, OpenMedia } from '../../../../media/media-control.ts';
import type { MediaEvent } from '../../../../media/media-leg.ts';
import type { CommandArgs } from '../../../../media/media-protocol.ts';
import { RTP_MEDIA, type RtpCodec, type RtpCommands, type RtpConfig } from '../../../../rtp/rtp-protocol.ts';
import { isPrivateAddress } from '../address/address-policy.ts';
import { PayloadTypes } from '../sdp/payload-types.ts';
import type { PortPool, RtpPair } from '../sdp/port-pool.ts';
import { newLocalKeys } from '../sdp/sdes.ts';
import { answerOffer } from '../sdp/sdp-answer.ts';
import type { AudioFormats, LocalAudio } from '../sdp/sdp-local.ts';
import { type AgreedMedia, agreeOnAnswer, offeredFormats, writeOffer } from '../sdp/sdp-offer.ts';
import { type PeerDescription, parsePeerDescription } from '../sdp/sdp-peer.ts';
import type { SipObserver } from '../sip-observer.ts';
import type { SipRoute } from '../sip-route.ts';
import { isPortTaken } from '../transport/listeners.ts';

/** A leg's route, as seen by its media. */
type MediaRoute = Pick<SipRoute, 'settings' | 'own' | 'mayFollow'>;

export interface LegMediaSettings {
  readonly bindHost: string;
  /** Milliseconds without RTP after which an answered call that is not on hold counts as lost. */
  readonly mediaTimeoutMs: number;
  readonly ports: PortPool;
  /** Codecs for calls, in our order of preference. */
  readonly codecs: readonly RtpCodec[];
  readonly observer: SipObserver;
}

type OpenRtp = OpenMedia<RtpConfig, RtpCommands>;

/** Stands for "no timeout": silence is normal while ringing or on hold. */
const NO_MEDIA_TIMEOUT_MS = 24 * 3_600_000;
const MAX_PORTS_TRIED = 50;
/** Answers of a forked INVITE that are kept. */
const MAX_FORKS = 16;
/** Lower ports belong to system services, never to RTP. */
const LOWEST_PORT = 1_024;

/** One leg's media as seen by its signaling: the ports, our description, and the agreement with the peer. */
export class LegMedia {
  readonly #control: MediaControl;
  readonly #settings: LegMediaSettings;
  readonly #sampleRateHz: number;
  readonly #route: MediaRoute;
  readonly #payloadTypes = new PayloadTypes();
  #local: LocalAudio | null = null;
  #pair: RtpPair | null = null;
  /** Null when nothing was opened. */
  #opening: Promise<OpenRtp | null> = Promise.resolve(null);
  #released = false;
  #version = 1;
  #lastText = '';
  #offered: AudioFormats | null = null;
  #agreed: AgreedMedia | null = null;
  /** What the answers to our offer have agreed, by the tag of who gave them: a forked INVITE has several. */
  readonly #byTag = new Map<string, AgreedMedia>();
  #answered = false;
  #inEffect: Promise<void> = Promise.resolve();
  #signalingHost = '';
  #onAgreed: () => void = () => {};

  /** `sampleRateHz` is the rate of the call's room. */
  constructor(control: MediaControl, settings: LegMediaSettings, sampleRateHz: number, route: MediaRoute) {
    this.#control = control;
    this.#settings = settings;
    this.#sampleRateHz = sampleRateHz;
    this.#route = route;
  }

  /** Sets the source address of the peer's signaling. RTP may come from there too. */
  signalledBy(host: string): void {
    this.#signalingHost = host;
  }

  /** Calls `listener` whenever something that was agreed is in effect. Replaces a former one. */
  watch(listener: () => void): void {
    this.#onAgreed = listener;
  }

  /** Opens the media leg on a worker, on the first free pair of ports. Rejects when no pair is free. */
  async open(onEvent: (event: MediaEvent) => void): Promise<void> {
    const { pair, media } = await this.#openOnFreePort(onEvent);
    this.#opening = Promise.resolve(media);
    this.#use(pair);
    if (this.#released) this.release();
  }

  /**
   * Takes ports that are already bound, so that our description can be written at once. The worker gets them in the
   * next turn of the event loop; `inEffect` waits for that. Returns false when no bound ports are available; use `open`
   * then.
   */
  openSoon(onEvent: (event: MediaEvent) => void): boolean {
    const pair = this.#settings.ports.takeBound();
    if (pair === null) return false;
    this.#use(pair);
    this.#opening = nextTurn().then(() => (this.#released ? null : this.#openOn(pair, onEvent)));
    this.#opening.catch(() => {});
    return true;
  }

  #use(pair: RtpPair): void {
    this.#pair = pair;
    this.#local = {
      host: this.#route.own.host,
      rtpPort: pair.port,
      srtp: this.#route.settings.srtp,
      sessionId: randomInt(1, 2 ** 31),
      keys: newLocalKeys(),
      codecs: this.#settings.codecs,
      payloadTypes: this.#payloadTypes,
    };
  }

  async #openOnFreePort(
    onEvent: (event: MediaEvent) => void,
  ): Promise<{ readonly pair: RtpPair; readonly media: OpenRtp }> {
    const { ports, observer } = this.#settings;
    for (let tries = 0; tries < MAX_PORTS_TRIED; tries += 1) {
      const pair = ports.take();
      if (pair === null) break;
      try {
        return { pair, media: await this.#openOn(pair, onEvent) };
      } catch (error) {
        ports.release(pair);
        if (!isPortTaken(error)) throw error;
      }
    }
    observer.count('rtp_ports_exhausted');
    throw new Overloaded('all RTP ports are in use');
  }

  #openOn({ port, bound }: RtpPair, onEvent: (event: MediaEvent) => void): Promise<OpenRtp> {
    const { bindHost } = this.#settings;
    const open = { bindHost, rtpPort: port, sampleRateHz: this.#sampleRateHz, bound };
    return this.#control.open(RTP_MEDIA, open, onEvent);
  }

  /** The open media leg. Rejects with `call_not_active` when the leg was released before that. */
  async #opened(): Promise<OpenRtp> {
    const media = await this.#opening;
    if (media === null) throw new GatewayError('call_not_active');
    return media;
  }

  /** Whether both sides know where to send. */
  get isAgreed(): boolean {
    return this.#agreed !== null;
  }

  /** Whether the peer may send audio. */
  get isHeard(): boolean {
    return this.#agreed?.receiving === true;
  }

  /** Whether the peer wants no audio from us, which is how it holds a call (RFC 3264 section 8.4). */
  get isHeld(): boolean {
    return this.#agreed?.sending === false;
  }

  get dtmfByRtp(): boolean {
    return this.#agreed?.dtmfPayloadType != null;
  }

  offer(): string {
    this.#offered = offeredFormats(this.#localAudio());
    return this.#issue((version) => writeOffer(this.#localAudio(), version));
  }

  /**
   * Accepts the answer to our offer of the peer with this tag, whose media is heard from now on. Resolves to false when the
   * answer is unusable.
   */
  async acceptAnswer(sdp: string, tag = ''): Promise<boolean> {
    const description = parsePeerDescription(sdp);
    if (description === null) return false;
    this.#follow(description);
    const agreed = agreeOnAnswer(description, this.#localAudio(), this.#offered ?? undefined);
    if (agreed === null) return false;
    if (this.#byTag.size < MAX_FORKS) this.#byTag.set(tag, agreed);
    await this.#configure(agreed);
    return true;
  }

  /** Goes back to what the peer with this tag has agreed to. Resolves to false when it has not. */
  async settleOn(tag: string): Promise<boolean> {
    const agreed = this.#byTag.get(tag);
    if (agreed === undefined) return false;
    await this.#configure(agreed);
    return true;
  }

  /**
   * Returns our answer to the peer's offer; null when there is nothing in common. The answer is put into effect in the
   * background, so a 200 need not wait for the worker.
   */
  answer(offer: PeerDescription): string | null {
    this.#follow(offer);
    const answer = answerOffer(offer, this.#localAudio());
    if (answer === null) return null;
    const text = this.#issue((version) => answer.write(version));
    this.#inEffect = this.#configure(answer.agreed);
    // Callers that depend on it await `inEffect`.
    this.#inEffect.catch(() => {});
    return text;
  }

  /** Resolves once the last answer is in effect. Rejects when that fails. */
  inEffect(): Promise<void> {
    return this.#inEffect;
  }

  /** Marks the call as answered. From now on, silence from the peer counts as loss. */
  async confirmAnswered(): Promise<void> {
    this.#answered = true;
    await this.#inEffect;
    if (this.#agreed !== null) await this.#configure(this.#agreed);
  }

  /** Runs a command of the media leg. Rejects with `call_not_active` when the leg was released before. */
  async command<Name extends keyof RtpCommands>(
    name: Name,
    ...args: CommandArgs<RtpCommands[Name]>
  ): Promise<void> {
    const media = await this.#opened();
    await media.command(name, ...args);
  }

  /** Releases the ports. Safe to call twice, and before `open` has finished. */
  release(): void {
    this.#released = true;
    if (this.#pair === null) return;
    this.#settings.ports.release(this.#pair);
    this.#pair = null;
  }

  /** Applies the agreement. A peer that signals hold with 0.0.0.0 keeps its previous address. */
  async #configure(agreed: AgreedMedia): Promise<void> {
    const isNowhere = agreed.remoteHost === '0.0.0.0' || agreed.remoteHost === '::';
    const { remoteHost, remotePort, remoteRtcpPort } = (isNowhere && this.#agreed) || agreed;
    const received = withFormer(agreed.received, this.#agreed?.received);
    const inForce = { ...agreed, remoteHost, remotePort, remoteRtcpPort, received };
    this.#agreed = inForce;
    const media = await this.#opened();
    const isTalking = this.#answered && agreed.sending && agreed.receiving;
    await media.configure({
      ...inForce,
      ...this.#destinationOf(inForce),
      remotePlausible: !isPrivateAddress(inForce.remoteHost) || isPrivateAddress(this.#signalingHost),
      signalingHost: this.#signalingHost,
      behindNat: this.#route.settings.behindNat,
      mediaTimeoutMs: isTalking ? this.#mediaTimeoutMs : NO_MEDIA_TIMEOUT_MS,
    });
    this.#onAgreed();
  }

  /** The trunk's, or else the gateway's. */
  get #mediaTimeoutMs(): number {
    const { mediaTimeoutS } = this.#route.settings;
    if (mediaTimeoutS === null) return this.#settings.mediaTimeoutMs;
    return mediaTimeoutS === 0 ? Number.POSITIVE_INFINITY : mediaTimeoutS * 1000;
  }

  /**
   * Returns the RTP destination used until the peer has sent packets. It is null for addresses the route may not follow
   * and for low ports, so that callers cannot aim our RTP at the gateway's own network or at system services. The peer
   * must then send first.
   */
  #destinationOf({
    remoteHost,
    remotePort,
    remoteRtcpPort,
  }: AgreedMedia): Pick<RtpConfig, 'remoteHost' | 'remotePort' | 'remoteRtcpPort'> {
    if (remotePort < LOWEST_PORT || !this.#route.mayFollow(remoteHost))
      return { remoteHost: null, remotePort: 0, remoteRtcpPort: 0 };
    return {
      remoteHost,
      remotePort,
      remoteRtcpPort: remoteRtcpPort < LOWEST_PORT ? remotePort : remoteRtcpPort,
    };
  }

  /** Writes our description, with a new version when its content has changed (RFC 3264 section 8). */
  #issue(write: (version: number) => string): string {
    if (this.#lastText !== '' && write(this.#version) !== this.#lastText) this.#version += 1;
    this.#lastText = write(this.#version);
    return this.#lastText;
  }

  /** Keeps the peer's payload types for our next offer. */
  #follow({ audio }: PeerDescription): void {
    for (const { formats } of audio) this.#payloadTypes.follow(formats);
  }

  #localAudio(): LocalAudio {
    assert(this.#local !== null, 'the media must be opened first');
    return this.#local;
  }
}

/**
 * Adds the formats of the agreement before. What was sent under it may still arrive, and a payload type keeps its meaning
 * throughout a session (RFC 3264 section 8.3.2).
 */
function withFormer(formats: AudioFormats, former: AudioFormats | undefined): AudioFormats {
  const taken = new Set([...formats.codecs, ...formats.events].map(({ payloadType }) => payloadType));
  const isFree = ({ payloadType }: { readonly payloadType: number }): boolean => !taken.has(payloadType);
  return {
    codecs: [...formats.codecs, ...(former?.codecs.filter(isFree) ?? [])],
    events: [...formats.events, ...(former?.events.filter(isFree) ?? [])],
  };
}
