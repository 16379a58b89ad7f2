import { Baresip } from './baresip.ts';
import type { BaresipOptions } from './baresip-config.ts';
import { Gateway, type GatewayOptions } from './gateway.ts';
import type { ShownCall } from './gateway-pair.ts';
import { waitFor } from './wait-for.ts';

export interface PhoneLineOptions {
  readonly phone?: Partial<BaresipOptions>;
  readonly trunk?: Readonly<Record<string, unknown>>;
  readonly gateway?: GatewayOptions;
}

/** A gateway whose trunk is one telephone: what either dials rings at the other. */
export class PhoneLine {
  readonly gateway: Gateway;
  readonly phone: Baresip;

  private constructor(gateway: Gateway, phone: Baresip) {
    this.gateway = gateway;
    this.phone = phone;
  }

  static async start(options: PhoneLineOptions = {}): Promise<PhoneLine> {
    const phone = await Baresip.start({ user: '+33123456789', ...options.phone });
    try {
      const { transport = 'udp' } = options.phone ?? {};
      // Its certificate exists only now.
      const env = transport === 'tls' ? { SVC_SIP_TLS_CA_FILE: phone.certificatePath } : {};
      const gateway = await Gateway.start({
        ...options.gateway,
        env: { ...env, ...options.gateway?.env },
      });
      const line = new PhoneLine(gateway, phone);
      await gateway.putTrunk({ host: '127.0.0.1', port: phone.sipPort, transport, ...options.trunk });
      return line;
    } catch (error) {
      await phone.stop();
      throw error;
    }
  }

  /** The gateway calls the phone, which does not answer by itself; resolves while it rings. */
  async ringPhone(): Promise<ShownCall> {
    const call = await this.gateway.placeCall(this.phone.uri);
    await this.phone.waitFor('CALL_INCOMING');
    return call;
  }

  /** The gateway calls the phone and they talk. */
  async talk(): Promise<ShownCall> {
    const call = await this.ringPhone();
    await this.phone.answer();
    await this.gateway.waitForState(call.call_id, 'active');
    await this.phone.waitFor('CALL_ESTABLISHED');
    return call;
  }

  /** Lists a number, so that the phone can reach an agent by it. */
  async listNumber(number: string, autoAnswer: boolean): Promise<void> {
    const request = { number, auto_answer: autoAnswer };
    const { status, body } = await this.gateway.settingsApi.post('/api/sip/dids', request);
    if (status !== 200) throw new Error(`POST did: ${status} ${JSON.stringify(body)}`);
  }

  /** The phone dials a number of the gateway. */
  async dial(number: string): Promise<void> {
    await this.phone.dial(`sip:${number}@127.0.0.1:${this.gateway.sipPort}`);
  }

  /** Waits for the gateway's only call, in this state. */
  onlyCall(state: string): Promise<ShownCall> {
    return waitFor(`a call that is ${state}`, async () => {
      const { body } = await this.gateway.agentApi.get('/api/calls');
      return body.calls.length === 1 && body.calls[0].state === state && body.calls[0];
    });
  }

  async stop(): Promise<void> {
    await this.gateway.stop();
    await this.phone.stop();
  }
}
