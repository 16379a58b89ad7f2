import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Child } from '../../test/support/child.ts';
import { claimSignalingPorts, type PortClaim } from '../../test/support/free-ports.ts';
import { waitFor } from '../../test/support/wait-for.ts';
import type { CorePlan } from '../bench.ts';
import { Generator } from '../generator/generator.ts';
import { ownLoopbackAddress } from '../loopback.ts';
import { audioPort, audioSdp } from '../sip-text.ts';
import type { CallSystem } from './call-system.ts';
import { NgClient } from './ng-client.ts';

const START_DEADLINE_MS = 10_000;
/** Where the generator's phones hear. */
const PHONE_HOST = '127.0.0.1';
const PING_DEADLINE_MS = 200;
const [PORT_MIN, PORT_MAX] = ['20000', '65500'];

interface Place {
  readonly claim: PortClaim;
  /** For its process id. */
  readonly folder: string;
  /** Where it relays. */
  readonly host: string;
}

/** rtpengine in userspace, relaying PCMU between two phones a call. */
export class Rtpengine implements CallSystem {
  readonly name = 'rtpengine';
  readonly ends = { phones: 2, agents: 0 } as const;
  readonly generator: Generator;
  readonly #child: Child;
  readonly #ng: NgClient;
  readonly #claim: PortClaim;
  readonly #folder: string;
  readonly #host: string;
  #calls = 0;

  private constructor(child: Child, generator: Generator, { claim, folder, host }: Place) {
    this.#child = child;
    this.generator = generator;
    this.#claim = claim;
    this.#folder = folder;
    this.#host = host;
    this.#ng = new NgClient(claim.first);
  }

  static async start(cores: CorePlan): Promise<Rtpengine> {
    const claim = await claimSignalingPorts(1);
    const host = ownLoopbackAddress();
    const folder = mkdtempSync(join(tmpdir(), 'rtpengine-'));
    const args = [
      ...['--table=-1', '--foreground', '--log-stderr', '--log-level=3', `--interface=${host}`],
      ...['--config-file=none', `--pidfile=${join(folder, 'pid')}`, `--listen-ng=127.0.0.1:${claim.first}`],
      ...[`--port-min=${PORT_MIN}`, `--port-max=${PORT_MAX}`, '--num-threads=1'],
    ];
    const [command = '', ...rest] = [...cores.gateway, 'rtpengine', ...args];
    const child = new Child(command, rest);
    const system = new Rtpengine(child, Generator.start(cores.generators), { claim, folder, host });
    try {
      await waitFor('rtpengine to answer', () => system.#answers(), START_DEADLINE_MS);
    } catch (error) {
      await system.stop();
      throw new Error(`${(error as Error).message}\n${child.output}`);
    }
    return system;
  }

  get pid(): number {
    return this.#child.pid;
  }

  get calls(): number {
    return this.#calls;
  }

  async grow(calls: number): Promise<void> {
    if (calls <= this.#calls) return;
    const ports = await this.generator.openPhones((calls - this.#calls) * 2);
    for (let i = 0; i < ports.length; i += 2) {
      await this.#connect(this.#calls * 2, ports[i] ?? 0, ports[i + 1] ?? 0);
      this.#calls++;
    }
  }

  /** A relay has no clock. */
  async watchTicks(): Promise<null> {
    return null;
  }

  async stop(): Promise<void> {
    this.generator.stop();
    this.#ng.close();
    await this.#child.stop();
    this.#claim.release();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Two phones, the first of them with this number, offer and answer. */
  async #connect(phone: number, callerPort: number, calleePort: number): Promise<void> {
    const call = { 'call-id': `call-${phone}`, 'from-tag': 'caller', ICE: 'remove' };
    const offered = await this.#ng.ask({ ...call, command: 'offer', sdp: audioSdp(PHONE_HOST, callerPort) });
    const answered = await this.#ng.ask({
      ...call,
      command: 'answer',
      'to-tag': 'callee',
      sdp: audioSdp(PHONE_HOST, calleePort),
    });
    this.generator.call(phone, this.#host, audioPort(answered.sdp ?? ''));
    this.generator.call(phone + 1, this.#host, audioPort(offered.sdp ?? ''));
  }

  async #answers(): Promise<boolean> {
    if (!this.#child.running) throw new Error('rtpengine ended while starting');
    const ponged = this.#ng.ask({ command: 'ping' }, PING_DEADLINE_MS);
    return ponged.then(
      ({ result }) => result === 'pong',
      () => false,
    );
  }
}
