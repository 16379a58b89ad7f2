import { claimRtpPorts, claimSignalingPorts, type PortClaim } from '../test/support/free-ports.ts';
import { Gateway } from '../test/support/gateway.ts';
import { waitFor } from '../test/support/wait-for.ts';
import type { CorePlan } from './bench.ts';
import { Generator } from './generator/generator.ts';
import { SipAnswerer } from './generator/sip-answerer.ts';
import type { MediaAddress } from './sip-text.ts';

const HOST = '127.0.0.1';
const PLACED_AT_ONCE = 4;
const ACTIVE_DEADLINE_MS = 30_000;

/** A call whose telephone and agent are a measuring program's own. */
export interface ProbedCall {
  readonly callId: string;
  readonly rtpPort: number;
  readonly remote: MediaAddress;
  readonly streamUrl: URL;
}

/** The gateway on its core, under as many agent calls as a bench wants, with some calls left for a probe. */
export class LoadedGateway {
  readonly gateway: Gateway;
  readonly #generator: Generator;
  readonly #trunk: PortClaim;
  readonly #probePorts: PortClaim;
  readonly #answerer: SipAnswerer;
  readonly #phonePorts: number[] = [];
  #answered = 0;
  #probes = 0;
  #calls = 0;
  #onProbe: ((remote: MediaAddress) => number) | null = null;

  private constructor(gateway: Gateway, generator: Generator, trunk: PortClaim, probePorts: PortClaim) {
    this.gateway = gateway;
    this.#generator = generator;
    this.#trunk = trunk;
    this.#probePorts = probePorts;
    this.#answerer = new SipAnswerer(HOST, trunk.first, (remote) => this.#answer(remote));
  }

  static async start(
    cores: CorePlan,
    maxCalls: number,
    env: Record<string, string> = {},
  ): Promise<LoadedGateway> {
    const [trunk, probePorts] = [await claimSignalingPorts(1), await claimRtpPorts(32)];
    const gateway = await Gateway.start({
      prefix: cores.gateway,
      rtpPortCount: (maxCalls + 16) * 2,
      env: {
        SVC_MAX_CALLS_PER_ACCOUNT: `${maxCalls + 16}`,
        SVC_ENGINE_THREADS: '1',
        SVC_LOG_LEVEL: 'warn',
        ...env,
      },
    });
    const loaded = new LoadedGateway(gateway, Generator.start(cores.generators), trunk, probePorts);
    await loaded.#answerer.listen();
    await gateway.putTrunk({ host: HOST, port: trunk.first });
    return loaded;
  }

  get calls(): number {
    return this.#calls;
  }

  /** Sets up calls of 16 kHz agents with telephones that talk all the time, until there are so many. */
  async grow(calls: number): Promise<void> {
    const more = calls - this.#calls;
    if (more <= 0) return;
    this.#phonePorts.push(...(await this.#generator.openPhones(more)));
    const streamUrls: string[] = [];
    while (streamUrls.length < more) {
      const batch = Math.min(PLACED_AT_ONCE, more - streamUrls.length);
      const placed = await Promise.all(Array.from({ length: batch }, () => this.#place()));
      streamUrls.push(...placed.map((call) => call.audio.stream_url));
    }
    this.#calls = calls;
    await waitFor(`${calls} active calls`, () => this.#allActive(), ACTIVE_DEADLINE_MS);
    await this.#generator.joinAgents(streamUrls, this.gateway.agentKey);
  }

  /** Places a call that the generator has no part in. */
  async probe(): Promise<ProbedCall> {
    const rtpPort = this.#probePorts.first + 2 * this.#probes++;
    const answered = Promise.withResolvers<MediaAddress>();
    this.#onProbe = (remote) => {
      answered.resolve(remote);
      return rtpPort;
    };
    const call = await this.#place();
    const remote = await answered.promise;
    await this.gateway.waitForState(call.call_id, 'active');
    return { callId: call.call_id, rtpPort, remote, streamUrl: new URL(call.audio.stream_url) };
  }

  async stop(): Promise<void> {
    this.#generator.stop();
    this.#answerer.close();
    await this.gateway.stop();
    this.#trunk.release();
    this.#probePorts.release();
  }

  #answer(remote: MediaAddress): number {
    const onProbe = this.#onProbe;
    this.#onProbe = null;
    if (onProbe !== null) return onProbe(remote);
    const phone = this.#answered++;
    this.#generator.call(phone, remote.host, remote.port);
    return this.#phonePorts[phone] ?? 0;
  }

  #place() {
    return this.gateway.placeCall(`sip:+49301234567@${HOST}:${this.#trunk.first}`);
  }

  async #allActive(): Promise<boolean> {
    const { body } = await this.gateway.agentApi.get('/api/calls');
    const calls: { state: string }[] = Array.isArray(body) ? body : body.calls;
    return calls.filter(({ state }) => state === 'active').length >= this.#calls;
  }
}
