import type { AnyJson } from './any-json.ts';
import { Gateway, type GatewayOptions } from './gateway.ts';
import { waitFor } from './wait-for.ts';

export interface GatewayPairOptions {
  readonly caller?: GatewayOptions;
  readonly callee?: GatewayOptions;
}

/** For accounts other than the operator's. */
const TRUNKS_ON_LOOPBACK = { SVC_SIP_TRUNK_ALLOW: '127.0.0.0/8' };

/** A call as the REST API shows it. */
export type ShownCall = AnyJson;

/** One phone call, seen from both of its ends. */
export interface CallPair {
  readonly outbound: ShownCall;
  readonly inbound: ShownCall;
}

/** Two gateways on loopback, each the other's trunk: calls go over real SIP and RTP without any other program. */
export class GatewayPair {
  readonly caller: Gateway;
  readonly callee: Gateway;
  #numbers = 0;
  #calledPort: number;

  private constructor(caller: Gateway, callee: Gateway) {
    this.caller = caller;
    this.callee = callee;
    this.#calledPort = callee.sipPort;
  }

  static async start(options: GatewayPairOptions = {}): Promise<GatewayPair> {
    const [caller, callee] = await Promise.all([
      Gateway.start({ ...options.caller, env: { ...TRUNKS_ON_LOOPBACK, ...options.caller?.env } }),
      Gateway.start(options.callee),
    ]);
    const pair = new GatewayPair(caller, callee);
    await caller.putTrunk(pair.trunk);
    await callee.putTrunk({ host: '127.0.0.1', port: caller.sipPort });
    return pair;
  }

  /** The trunk that connects an account of the caller to the callee. */
  get trunk() {
    const login = { username: 'trunk', password: 'secret', register: false };
    return { host: '127.0.0.1', port: this.callee.sipPort, ...login };
  }

  /** Lists a fresh number at the callee, so that a call to it can be told from all others. */
  async listNumber(autoAnswer: boolean): Promise<string> {
    this.#numbers++;
    const number = this.numberAt(this.#numbers);
    const { status, body } = await this.callee.settingsApi.post('/api/sip/dids', {
      number,
      auto_answer: autoAnswer,
    });
    if (status !== 200) throw new Error(`POST did: ${status} ${JSON.stringify(body)}`);
    return number;
  }

  /** The number that the n-th call of this pair goes to, from 1. */
  numberAt(n: number): string {
    return `+331${`${n}`.padStart(8, '0')}`;
  }

  /** Routes later calls through the peer on this port, not directly to the callee. */
  callThrough(port: number): void {
    this.#calledPort = port;
  }

  uriOf(number: string): string {
    return `sip:${number}@127.0.0.1:${this.#calledPort}`;
  }

  /** Calls a fresh number that does not answer by itself, and waits until it rings there. */
  async ring(): Promise<CallPair> {
    return this.#dial(await this.listNumber(false), 'ringing');
  }

  /** Calls a fresh number that answers by itself, and waits until both ends are active. */
  async connect(): Promise<CallPair> {
    const calls = await this.#dial(await this.listNumber(true), 'active');
    await this.caller.waitForState(calls.outbound.call_id, 'active');
    return calls;
  }

  /** Hangs up from the caller's side and waits until neither end knows the call. */
  async hangUp({ outbound, inbound }: CallPair): Promise<void> {
    await this.caller.agentApi.delete(`/api/call/${outbound.call_id}`);
    await waitFor('the callee to see the end', async () => !(await this.#inboundTo(inbound.meeting_url)));
  }

  async stop(): Promise<void> {
    await Promise.all([this.caller.stop(), this.callee.stop()]);
  }

  async #dial(number: string, state: string): Promise<CallPair> {
    const outbound = await this.caller.placeCall(this.uriOf(number));
    const inbound = await waitFor(`the call to ${number} to be ${state}`, async () => {
      const call = await this.#inboundTo(number);
      return call?.state === state && call;
    });
    return { outbound, inbound };
  }

  async #inboundTo(number: string): Promise<ShownCall> {
    const { body } = await this.callee.agentApi.get('/api/calls');
    return body.calls.find((call: ShownCall) => call.meeting_url.includes(number));
  }
}
