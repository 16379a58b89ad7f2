import { Gateway } from '../../test/support/gateway.ts';
import { waitFor } from '../../test/support/wait-for.ts';
import { type Counters, readCounters } from './counters.ts';

const NUMBER_OF_B = '+33123456789';
const RTP_PORTS = 8;

/** A call as the REST API shows it; only what the demo reads. */
export interface ShownCall {
  readonly call_id: string;
  readonly state: string;
  readonly audio: { readonly stream_url: string };
}

/** Two gateway processes, each the other's trunk. */
export class TwoGateways {
  /** Calls. */
  readonly a: Gateway;
  /** Is called. */
  readonly b: Gateway;

  private constructor(a: Gateway, b: Gateway) {
    this.a = a;
    this.b = b;
  }

  /** Leaves nothing behind when one of them does not start. */
  static async start(env: Readonly<Record<string, string>> = {}): Promise<TwoGateways> {
    const options = { rtpPortCount: RTP_PORTS, env };
    const starting = [Gateway.start(options), Gateway.start(options)];
    const started = await Promise.allSettled(starting);
    const [a, b] = started.map((one) => (one.status === 'fulfilled' ? one.value : null));
    if (a && b) return new TwoGateways(a, b);
    await Promise.all([a?.stop(), b?.stop()]);
    throw started.find((one) => one.status === 'rejected')?.reason;
  }

  /** Makes each the other's trunk, and lists B's number, where calls are answered at once. */
  async connect(): Promise<void> {
    const { a, b } = this;
    await a.putTrunk({ host: '127.0.0.1', port: b.sipPort });
    await b.putTrunk({ host: '127.0.0.1', port: a.sipPort });
    const did = { number: NUMBER_OF_B, auto_answer: true };
    const answer = await b.settingsApi.post('/api/sip/dids', did);
    if (answer.status !== 200) throw new Error(`the number cannot be listed: ${JSON.stringify(answer.body)}`);
  }

  /** Creates a voice preset and enables it. */
  async addPreset(gateway: Gateway, preset: object): Promise<void> {
    const { status, body } = await gateway.settingsApi.post('/api/voice-configs', preset);
    if (status !== 200) throw new Error(`the preset cannot be created: ${JSON.stringify(body)}`);
  }

  /** Places the call and waits until both ends can speak and hear. */
  async call(): Promise<{ outbound: ShownCall; inbound: ShownCall }> {
    const { a, b } = this;
    const outbound: ShownCall = await a.placeCall(`sip:${NUMBER_OF_B}@127.0.0.1:${b.sipPort}`);
    await a.waitForState(outbound.call_id, 'active');
    const inbound = await waitFor('the call to be active at B', () => activeCall(b));
    return { outbound, inbound };
  }

  /** Hangs up, waits until both have taken the call down, and reads what they counted of it. */
  async hangUp(call: ShownCall): Promise<[Counters, Counters]> {
    await this.a.agentApi.delete(`/api/call/${call.call_id}`);
    const noCall = async (gateway: Gateway) => (await gateway.metric('svc_engine_calls')) === 0;
    for (const gateway of [this.a, this.b]) {
      await waitFor('the call to be taken down', () => noCall(gateway));
    }
    return Promise.all([readCounters(this.a), readCounters(this.b)]);
  }

  /** Ends both as a service manager does, and removes their data; resolves with what went wrong. */
  async stop(): Promise<string[]> {
    const codes = await Promise.all([this.a.stop(), this.b.stop()]);
    return codes.every((code) => code === 0) ? [] : [`the gateways ended with ${codes.join(' and ')}, not 0`];
  }
}

async function activeCall(gateway: Gateway): Promise<ShownCall | undefined> {
  const { body } = await gateway.agentApi.get('/api/calls');
  return body.calls.find((call: ShownCall) => call.state === 'active');
}
