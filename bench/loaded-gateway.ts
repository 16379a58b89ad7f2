import { claimRtpPorts, type PortClaim } from '../test/support/free-ports.ts';
import type { Gateway } from '../test/support/gateway.ts';
import type { CorePlan } from './bench.ts';
import { OurGateway, type PlacedCall } from './calls/our-gateway.ts';
import type { MediaAddress } from './sip-text.ts';

const PROBE_PORTS = 32;

/** A call whose telephone and agent are those of a measuring program. */
export interface ProbedCall extends PlacedCall {
  readonly rtpPort: number;
  readonly remote: MediaAddress;
}

/** The gateway on its core, loaded with agent calls, with room for some calls of a probe. */
export class LoadedGateway {
  readonly #system: OurGateway;
  readonly #probePorts: PortClaim;
  #probes = 0;

  private constructor(system: OurGateway, probePorts: PortClaim) {
    this.#system = system;
    this.#probePorts = probePorts;
  }

  static async start(cores: CorePlan): Promise<LoadedGateway> {
    const probePorts = await claimRtpPorts(PROBE_PORTS);
    return new LoadedGateway(await OurGateway.start(cores), probePorts);
  }

  get gateway(): Gateway {
    return this.#system.gateway;
  }

  /** Number of calls, without those of the probe. */
  get calls(): number {
    return this.#system.calls;
  }

  /** Sets up calls of 16 kHz agents with telephones that talk continuously, until there are `calls`. */
  grow(calls: number): Promise<void> {
    return this.#system.grow(calls);
  }

  /** Places a call without the generator. */
  async probe(): Promise<ProbedCall> {
    const rtpPort = this.#probePorts.first + 2 * this.#probes++;
    const answered = Promise.withResolvers<MediaAddress>();
    const call = await this.#system.placeOwn((remote) => {
      answered.resolve(remote);
      return rtpPort;
    });
    return { ...call, rtpPort, remote: await answered.promise };
  }

  async stop(): Promise<void> {
    await this.#system.stop();
    this.#probePorts.release();
  }
}
