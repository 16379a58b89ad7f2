import { claimSignalingPorts, type PortClaim } from '../../test/support/free-ports.ts';
import { Gateway } from '../../test/support/gateway.ts';
import { waitFor } from '../../test/support/wait-for.ts';
import type { CorePlan } from '../bench.ts';
import { gatewaySettings } from '../calls/our-gateway.ts';
import { SipAnswerer } from '../generator/sip-answerer.ts';
import { ownLoopbackAddress } from '../loopback.ts';

const HOST = '127.0.0.1';
const PLACED_AT_ONCE = 8;
const STATE_DEADLINE_MS = 30_000;

/** Telephones of a program of the bench, numbered from 0. */
export interface Phones {
  openPhones(count: number): Promise<readonly number[]>;
  call(phone: number, host: string, port: number): void;
}

/** The gateway on its core, with a trunk of telephones and a speech vendor. */
export class HostedGateway {
  readonly gateway: Gateway;
  readonly #trunk: PortClaim;
  readonly #answerer: SipAnswerer;
  readonly #phones: Phones;
  readonly #ports: number[] = [];
  #answered = 0;
  #active = 0;

  private constructor(gateway: Gateway, trunk: PortClaim, phones: Phones) {
    this.gateway = gateway;
    this.#trunk = trunk;
    this.#phones = phones;
    this.#answerer = new SipAnswerer(HOST, trunk.first, ({ host, port }) => {
      const phone = this.#answered++;
      phones.call(phone, host, port);
      return this.#ports[phone] ?? 0;
    });
  }

  /** `more`: settings of the gateway. */
  static async start(
    cores: CorePlan,
    phones: Phones,
    vendorUrl: string,
    more: Readonly<Record<string, string>> = {},
  ): Promise<HostedGateway> {
    const trunk = await claimSignalingPorts(1);
    const env = { ...gatewaySettings(ownLoopbackAddress()), SVC_DEEPGRAM_URL: vendorUrl, ...more };
    const gateway = await Gateway.start({ prefix: cores.gateway, env });
    const hosted = new HostedGateway(gateway, trunk, phones);
    await hosted.#answerer.listen();
    await gateway.putTrunk({ host: HOST, port: trunk.first });
    return hosted;
  }

  /** Calls that are placed from now on speak and listen. */
  async host(): Promise<void> {
    // Everybody talks all the time, and nobody is to be interrupted.
    const kinds = [{ kind: 'stt' }, { kind: 'tts', options: { interruption: 'off' } }];
    for (const kind of kinds) {
      const preset = { ...kind, provider: 'deepgram', api_key: 'key-of-the-bench' };
      const { status, body } = await this.gateway.settingsApi.post('/api/voice-configs', preset);
      if (status >= 300) throw new Error(`POST voice config: ${status} ${JSON.stringify(body)}`);
    }
  }

  /** Places calls, each to a new telephone. Returns their ids when all are active. */
  async place(count: number): Promise<string[]> {
    this.#ports.push(...(await this.#phones.openPhones(count)));
    const callIds: string[] = [];
    while (callIds.length < count) {
      const batch = Math.min(PLACED_AT_ONCE, count - callIds.length);
      callIds.push(
        ...(await Promise.all(Array.from({ length: batch }, (_, i) => this.#placeOne(callIds.length + i)))),
      );
    }
    this.#active += count;
    await this.#allActive();
    return callIds;
  }

  /** Speaks on a call. */
  async say(callId: string, text: string): Promise<void> {
    const { status, body } = await this.gateway.agentApi.post(`/api/call/${callId}/say`, { text });
    if (status !== 200) throw new Error(`say: ${status} ${JSON.stringify(body)}`);
  }

  async hangUp(callIds: readonly string[]): Promise<void> {
    for (const callId of callIds) await this.gateway.agentApi.delete(`/api/call/${callId}`);
    this.#active -= callIds.length;
    await this.#allActive();
  }

  async stop(): Promise<void> {
    this.#answerer.close();
    await this.gateway.stop();
    this.#trunk.release();
  }

  async #placeOne(number: number): Promise<string> {
    const to = `sip:+4930${100_000 + this.#answered + number}@${HOST}:${this.#trunk.first}`;
    return (await this.gateway.placeCall(to)).call_id;
  }

  async #allActive(): Promise<void> {
    const count = async (): Promise<number> => {
      const { body } = await this.gateway.agentApi.get('/api/calls');
      const calls: { state: string }[] = Array.isArray(body) ? body : body.calls;
      return calls.filter(({ state }) => state === 'active').length;
    };
    const all = async (): Promise<boolean> => (await count()) === this.#active;
    await waitFor(`${this.#active} active calls`, all, STATE_DEADLINE_MS);
  }
}
