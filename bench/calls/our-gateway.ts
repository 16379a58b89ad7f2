import { claimSignalingPorts, type PortClaim } from '../../test/support/free-ports.ts';
import { Gateway } from '../../test/support/gateway.ts';
import { waitFor } from '../../test/support/wait-for.ts';
import type { CorePlan } from '../bench.ts';
import { Generator, type Song } from '../generator/generator.ts';
import { SipAnswerer } from '../generator/sip-answerer.ts';
import { ownLoopbackAddress } from '../loopback.ts';
import type { MediaAddress, SpokenCodec } from '../sip-text.ts';
import type { CallSystem, TickReport } from './call-system.ts';
import { watchTicks } from './gateway-ticks.ts';

const PLACED_AT_ONCE = 8;
const ACTIVE_DEADLINE_MS = 30_000;
const HOST = '127.0.0.1';

/** Gets the address that a telephone sends to, and returns the telephone's own port. */
export type OpenPhone = (remote: MediaAddress) => number;

/** A call as the API gave it. */
export interface PlacedCall {
  readonly callId: string;
  readonly streamUrl: URL;
}

/** The gateway as its users run it, on one core: SIP to a trunk of phones, an agent on every call. */
export class OurGateway implements CallSystem {
  readonly name = 'gateway';
  readonly ends = { phones: 1, agents: 1 } as const;
  readonly generator: Generator;
  readonly gateway: Gateway;
  readonly #trunk: PortClaim;
  readonly #answerer: SipAnswerer;
  readonly #ports: number[] = [];
  /** Admitted calls, by id. */
  readonly #offered: string[] = [];
  #answered = 0;
  #placed = 0;
  #calls = 0;
  #ownCalls = 0;
  #openNext: OpenPhone | null = null;

  private constructor(gateway: Gateway, trunk: PortClaim, generator: Generator, codec?: SpokenCodec) {
    this.gateway = gateway;
    this.generator = generator;
    this.#trunk = trunk;
    this.#answerer = new SipAnswerer(HOST, trunk.first, (remote) => this.#openPhone(remote), codec);
  }

  /** Phones speak PCMU, or Opus where there is a song. `more`: settings of the gateway. */
  static async start(
    cores: CorePlan,
    song?: Song,
    more: Readonly<Record<string, string>> = {},
  ): Promise<OurGateway> {
    const trunk = await claimSignalingPorts(1);
    const gateway = await Gateway.start({
      prefix: cores.gateway,
      env: {
        ...gatewaySettings(ownLoopbackAddress()),
        ...(song && { SVC_SIP_CODECS: 'opus,PCMU' }),
        ...more,
      },
    });
    const generator = Generator.start(cores.generators);
    await (song && generator.sing(song));
    const opus = song && { payloadType: song.payloadType, rtpmap: 'opus/48000/2' };
    const system = new OurGateway(gateway, trunk, generator, opus);
    await system.#answerer.listen();
    await gateway.putTrunk({ host: HOST, port: trunk.first });
    return system;
  }

  get pid(): number {
    return this.gateway.pid;
  }

  get calls(): number {
    return this.#calls;
  }

  async grow(calls: number): Promise<void> {
    const more = calls - this.#calls;
    if (more <= 0) return;
    this.#ports.push(...(await this.generator.openPhones(more)));
    const streamUrls: string[] = [];
    while (streamUrls.length < more) {
      const batch = Math.min(PLACED_AT_ONCE, more - streamUrls.length);
      const placed = await Promise.all(Array.from({ length: batch }, () => this.#place()));
      streamUrls.push(...placed.map(({ streamUrl }) => streamUrl.href));
    }
    this.#calls = calls;
    await this.#allActive();
    await this.generator.joinAgents(streamUrls, this.gateway.agentKey);
  }

  /**
   * Offers calls to a gateway that may refuse them. Those that are admitted get their agents at once. Returns how many were.
   */
  async offer(calls: number): Promise<number> {
    this.#ports.push(...(await this.generator.openPhones(calls)));
    let admitted = 0;
    for (let offered = 0; offered < calls; offered += PLACED_AT_ONCE) {
      const batch = Math.min(PLACED_AT_ONCE, calls - offered);
      const placed = await Promise.all(Array.from({ length: batch }, () => this.#offerOne()));
      const streamUrls = placed.filter((url) => url !== null);
      admitted += streamUrls.length;
      this.#calls += streamUrls.length;
      await this.generator.joinAgents(streamUrls, this.gateway.agentKey);
    }
    await this.#allActive();
    return admitted;
  }

  /** Ends all calls that were offered. */
  async hangUpAll(): Promise<void> {
    const ids = this.#offered.splice(0);
    while (ids.length > 0) {
      const batch = ids.splice(0, PLACED_AT_ONCE);
      await Promise.all(batch.map((id) => this.gateway.agentApi.delete(`/api/call/${id}`)));
    }
    this.#calls = 0;
    await this.#allActive();
  }

  /** Places a call whose telephone and agent are the caller's own; not while calls are being added. */
  async placeOwn(openPhone: OpenPhone): Promise<PlacedCall> {
    this.#openNext = openPhone;
    const call = await this.#place();
    this.#ownCalls++;
    await this.#allActive();
    return call;
  }

  watchTicks(): Promise<() => Promise<TickReport>> {
    return watchTicks(this.gateway);
  }

  async stop(): Promise<void> {
    this.generator.stop();
    this.#answerer.close();
    await this.gateway.stop();
    this.#trunk.release();
  }

  #openPhone(remote: MediaAddress): number {
    const open = this.#openNext;
    this.#openNext = null;
    if (open !== null) return open(remote);
    const phone = this.#answered++;
    this.generator.call(phone, remote.host, remote.port);
    return this.#ports[phone] ?? 0;
  }

  /** Returns the address of the agent's stream; null when the call is refused for lack of room. */
  async #offerOne(): Promise<string | null> {
    const call = { platform: 'sip', meeting_url: this.#nextTarget() };
    const { status, body } = await this.gateway.agentApi.post('/api/call', call);
    if (status === 503) return null;
    if (status >= 300) throw new Error(`POST call: ${status} ${JSON.stringify(body)}`);
    this.#offered.push(body.call_id);
    return body.audio.stream_url;
  }

  #nextTarget(): string {
    return `sip:+4930${100_000 + this.#placed++}@${HOST}:${this.#trunk.first}`;
  }

  async #place(): Promise<PlacedCall> {
    const call = await this.gateway.placeCall(this.#nextTarget());
    return { callId: call.call_id, streamUrl: new URL(call.audio.stream_url) };
  }

  async #allActive(): Promise<void> {
    const calls = this.#calls + this.#ownCalls;
    await waitFor(`${calls} active calls`, async () => (await this.#active()) === calls, ACTIVE_DEADLINE_MS);
  }

  async #active(): Promise<number> {
    const { body } = await this.gateway.agentApi.get('/api/calls');
    const calls: { state: string }[] = Array.isArray(body) ? body : body.calls;
    return calls.filter(({ state }) => state === 'active').length;
  }
}

/** Settings for thousands of calls on this address. */
export function gatewaySettings(host: string): Record<string, string> {
  return {
    SVC_SIP_HOST: host,
    SVC_SIP_ADVERTISED_HOST: host,
    SVC_RTP_PORT_MIN: '20000',
    SVC_RTP_PORT_MAX: '59999',
    SVC_MAX_CALLS_PER_ACCOUNT: '15000',
    SVC_BUDGET_MINUTES: '1000000',
    SVC_ENGINE_THREADS: '1',
    // Benches find out what a machine carries.
    SVC_ADMISSION: 'off',
    // The telephone of a call of one's own may be silent for long.
    SVC_MEDIA_TIMEOUT_S: '3600',
    SVC_LOG_LEVEL: 'warn',
  };
}
