import { claimSignalingPorts, type PortClaim } from '../../test/support/free-ports.ts';
import { Gateway } from '../../test/support/gateway.ts';
import { waitFor } from '../../test/support/wait-for.ts';
import type { CorePlan } from '../bench.ts';
import { Generator, type Song } from '../generator/generator.ts';
import { SipAnswerer } from '../generator/sip-answerer.ts';
import { ownLoopbackAddress } from '../loopback.ts';
import type { MediaAddress, SpokenCodec } from '../sip-text.ts';
import type { CallSystem, TickReport } from './call-system.ts';
import { histogramOf, quantileBound } from './tick-histogram.ts';

const PLACED_AT_ONCE = 8;
const ACTIVE_DEADLINE_MS = 30_000;
const HOST = '127.0.0.1';

/** The gateway as its users run it, on one core: SIP to a trunk of phones, an agent on every call. */
export class OurGateway implements CallSystem {
  readonly name = 'gateway';
  readonly ends = { phones: 1, agents: 1 } as const;
  readonly generator: Generator;
  readonly gateway: Gateway;
  readonly #trunk: PortClaim;
  readonly #answerer: SipAnswerer;
  readonly #ports: number[] = [];
  #answered = 0;
  #calls = 0;

  private constructor(gateway: Gateway, trunk: PortClaim, generator: Generator, codec?: SpokenCodec) {
    this.gateway = gateway;
    this.generator = generator;
    this.#trunk = trunk;
    const openMedia = ({ host, port }: MediaAddress) => {
      const phone = this.#answered++;
      this.generator.call(phone, host, port);
      return this.#ports[phone] ?? 0;
    };
    this.#answerer = new SipAnswerer(HOST, trunk.first, openMedia, codec);
  }

  /** Phones speak PCMU, or Opus where there is a song. */
  static async start(cores: CorePlan, song?: Song): Promise<OurGateway> {
    const trunk = await claimSignalingPorts(1);
    const gateway = await Gateway.start({
      prefix: cores.gateway,
      env: { ...settingsOf(ownLoopbackAddress()), ...(song && { SVC_SIP_CODECS: 'opus,PCMU' }) },
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
      const placing = Array.from({ length: batch }, (_, i) =>
        this.#place(this.#calls + streamUrls.length + i),
      );
      streamUrls.push(...(await Promise.all(placing)));
    }
    await waitFor(`${calls} active calls`, async () => (await this.#active()) === calls, ACTIVE_DEADLINE_MS);
    await this.generator.joinAgents(streamUrls, this.gateway.agentKey);
    this.#calls = calls;
  }

  async watchTicks(): Promise<() => Promise<TickReport>> {
    const before = await this.#ticks();
    return async () => {
      const after = await this.#ticks();
      const counts = after.histogram.map(
        ([bound, count], i) => [bound, count - (before.histogram[i]?.[1] ?? 0)] as const,
      );
      return { latenessP999Ms: quantileBound(counts, 0.999), skipped: after.skipped - before.skipped };
    };
  }

  async stop(): Promise<void> {
    this.generator.stop();
    this.#answerer.close();
    await this.gateway.stop();
    this.#trunk.release();
  }

  async #place(index: number): Promise<string> {
    const call = await this.gateway.placeCall(`sip:+4930${100_000 + index}@${HOST}:${this.#trunk.first}`);
    return call.audio.stream_url;
  }

  async #active(): Promise<number> {
    const { body } = await this.gateway.agentApi.get('/api/calls');
    const calls: { state: string }[] = Array.isArray(body) ? body : body.calls;
    return calls.filter(({ state }) => state === 'active').length;
  }

  async #ticks() {
    const { body } = await this.gateway.api(null).get('/metrics');
    const skipped = Number(
      /^svc_engine_skipped_ticks_total(?:\{.*\})? (\S+)$/m.exec(`${body}`)?.[1] ?? Number.NaN,
    );
    return { histogram: histogramOf(`${body}`, 'svc_engine_tick_lateness_seconds'), skipped };
  }
}

function settingsOf(host: string): Record<string, string> {
  return {
    SVC_SIP_HOST: host,
    SVC_SIP_ADVERTISED_HOST: host,
    SVC_RTP_PORT_MIN: '20000',
    SVC_RTP_PORT_MAX: '59999',
    SVC_MAX_CALLS_PER_ACCOUNT: '15000',
    SVC_ENGINE_THREADS: '1',
    SVC_LOG_LEVEL: 'warn',
  };
}
