import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { claimSignalingPorts, type PortClaim } from '../../test/support/free-ports.ts';
import { Gateway } from '../../test/support/gateway.ts';
import { waitFor } from '../../test/support/wait-for.ts';
import type { CorePlan } from '../bench.ts';
import { Generator } from '../generator/generator.ts';
import type { MediaAddress } from '../sip-text.ts';
import { faultsOf, type Script } from './judgement.ts';
import { SoakTrunk } from './soak-trunk.ts';

const COLLECT_GARBAGE = join(import.meta.dirname, 'collect-garbage.mjs');
const HOST = '127.0.0.1';
const CALLED_NUMBER = '+49891000';
const FIRST_NUMBER = 4_930_000_000;
const MEDIA_TIMEOUT_S = 5;
const OVER_DEADLINE_MS = 15_000;

interface LiveCall {
  readonly phone: number;
  readonly number: string;
  readonly script: Script;
}

/** The gateway, and telephones and agents that come and go. */
export class SoakLine {
  readonly gateway: Gateway;
  readonly generator: Generator;
  readonly #trunk: SoakTrunk;
  readonly #trunkPort: PortClaim;
  readonly #ports: readonly number[];
  readonly #freePhones: number[];
  readonly #ringing = new Map<string, LiveCall>();
  #numbers = FIRST_NUMBER;

  private constructor(
    gateway: Gateway,
    generator: Generator,
    trunkPort: PortClaim,
    ports: readonly number[],
  ) {
    this.gateway = gateway;
    this.generator = generator;
    this.#trunkPort = trunkPort;
    this.#ports = ports;
    this.#freePhones = ports.map((_, phone) => phone);
    this.#trunk = new SoakTrunk(trunkPort.first, gateway.sipPort, {
      ring: (number, remote) => this.#ring(number, remote),
      ended: () => {},
    });
  }

  static async start(cores: CorePlan, mostCalls: number): Promise<SoakLine> {
    const trunkPort = await claimSignalingPorts(1);
    const gateway = await Gateway.start({
      prefix: cores.gateway,
      // A port is free again only some time after its call.
      rtpPortCount: mostCalls * 4,
      env: {
        SVC_MAX_CALLS_PER_ACCOUNT: `${mostCalls * 2}`,
        SVC_BUDGET_MINUTES: '1000000',
        SVC_MEDIA_TIMEOUT_S: `${MEDIA_TIMEOUT_S}`,
        SVC_ENGINE_THREADS: '1',
        SVC_LOG_LEVEL: 'warn',
        NODE_OPTIONS: `--import ${COLLECT_GARBAGE}`,
      },
    });
    const generator = Generator.start(cores.generators);
    const line = new SoakLine(gateway, generator, trunkPort, await generator.openPhones(mostCalls));
    await line.#trunk.listen();
    await gateway.putTrunk({ host: HOST, port: trunkPort.first });
    await gateway.settingsApi.post('/api/sip/dids', { number: CALLED_NUMBER, auto_answer: true });
    await generator.begin();
    return line;
  }

  get liveCalls(): number {
    return this.#ports.length - this.#freePhones.length;
  }

  /** Runs one call and returns what went wrong. Also empty if no telephone was free. */
  async live(script: Script, holdMs: number): Promise<string[]> {
    const phone = this.#freePhones.pop();
    if (phone === undefined) return [];
    const call = { phone, script, number: `+${this.#numbers++}` };
    try {
      if (script === 'refused') return await this.#beRefused(call);
      const callId = await (script.startsWith('inbound') ? this.#callIn(call) : this.#callOut(call));
      await pause(holdMs);
      return await this.#end(call, callId);
    } catch (error) {
      await this.generator.hangUp(phone).catch(() => {});
      this.#trunk.hangUp(call.number);
      return [(error as Error).message.split('\n')[0] ?? 'it failed'];
    } finally {
      this.#freePhones.push(phone);
    }
  }

  async stop(): Promise<void> {
    this.generator.stop();
    this.#trunk.close();
    await this.gateway.stop();
    this.#trunkPort.release();
  }

  #ring(number: string, remote: MediaAddress): number | null {
    const call = this.#ringing.get(number);
    this.#ringing.delete(number);
    if (call === undefined || call.script === 'refused') return null;
    this.generator.call(call.phone, remote.host, remote.port);
    return this.#ports[call.phone] ?? null;
  }

  async #place(call: LiveCall): Promise<{ call_id: string; audio: { stream_url: string } }> {
    this.#ringing.set(call.number, call);
    return this.gateway.placeCall(`sip:${call.number}@${HOST}:${this.#trunkPort.first}`);
  }

  async #beRefused(call: LiveCall): Promise<string[]> {
    const { call_id: callId } = await this.#place(call);
    await waitFor('a refused call to be over', () => this.#isOver(callId), OVER_DEADLINE_MS);
    return [];
  }

  async #callOut(call: LiveCall): Promise<string> {
    const { call_id: callId, audio } = await this.#place(call);
    await this.gateway.waitForState(callId, 'active');
    this.generator.join(call.phone, audio.stream_url, this.gateway.agentKey);
    return callId;
  }

  async #callIn(call: LiveCall): Promise<string> {
    const remote = await this.#trunk.call(call.number, CALLED_NUMBER, this.#ports[call.phone] ?? 0);
    if (remote === null) throw new Error('an inbound call was not answered');
    this.generator.call(call.phone, remote.host, remote.port);
    const { call_id: callId, audio } = await waitFor('an inbound call in the list', async () => {
      const { body } = await this.gateway.agentApi.get('/api/calls');
      return body.calls.find(({ caller }: { caller: string }) => caller.includes(call.number));
    });
    this.generator.join(call.phone, audio.stream_url, this.gateway.agentKey);
    return callId;
  }

  async #end(call: LiveCall, callId: string): Promise<string[]> {
    const left = await this.generator.hangUp(call.phone);
    if (call.script.endsWith('telephone')) this.#trunk.hangUp(call.number);
    if (call.script.endsWith('API')) await this.gateway.agentApi.delete(`/api/call/${callId}`);
    await waitFor('a call to be over', () => this.#isOver(callId), OVER_DEADLINE_MS);
    return faultsOf(left);
  }

  /** A call that ended is 404; one that was cut off stays readable. */
  async #isOver(callId: string): Promise<boolean> {
    const { status, body } = await this.gateway.agentApi.get(`/api/call/${callId}`);
    return status === 404 || Boolean(body.ended_at);
  }
}
