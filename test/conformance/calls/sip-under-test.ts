import { fileURLToPath } from 'node:url';
import type { TerminationResult } from '../../../src/base/termination.ts';
import { systemClock } from '../../../src/base/time.ts';
import { SipConnector } from '../../../src/connectors/sip/sip-connector.ts';
import { Gateway, type GatewayOptions } from '../../support/gateway.ts';
import { memberOf } from '../../support/member.ts';
import { waitFor } from '../../support/wait-for.ts';
import {
  type AccountUnderTest,
  type CallerUnderTest,
  type CallFeature,
  type CallsUnderTest,
  GATEWAY_ENV,
  type OfferedCall,
} from './calls-under-test.ts';
import { SipPhone } from './sip-phone.ts';

const NUMBER = '+33123456789';
const FAULTS = fileURLToPath(new URL('../../support/thread-faults.mjs', import.meta.url));

/** A connector to read declarations from. */
export function sipConnector(): SipConnector {
  return new SipConnector(
    {
      host: '127.0.0.1',
      port: 0,
      portIsDefault: false,
      advertisedHost: null,
      rtpPortMin: 10_000,
      rtpPortMax: 10_001,
      codecs: ['PCMU'],
      trunkAllow: [],
      trunkBindings: [],
      directHosts: [],
    },
    systemClock,
    { count: () => undefined, log: () => undefined },
  );
}

export interface SipTestOptions {
  readonly patienceMs: number;
  readonly gateway?: GatewayOptions;
}

/** SIP, with a trunk for each of two accounts. */
export class SipUnderTest implements CallsUnderTest {
  readonly connector = sipConnector();
  readonly features = new Set<CallFeature>(['dtmf']);
  readonly refused = [
    { meetingUrl: '', detail: 'meeting_url required', code: 'meeting_url_required' },
    {
      meetingUrl: 'https://meeting.example/1',
      detail: 'meeting_url is neither a SIP URI nor a phone number',
      code: 'invalid_meeting_url',
    },
  ];
  readonly failures: Readonly<Record<string, TerminationResult>> = {
    busy: 'busy',
    declined: 'refused',
    'not answered': 'no_answer',
    'without such a number': 'failed',
  };
  readonly gateway: Gateway;
  patienceMs: number;
  readonly account: AccountUnderTest;
  readonly otherAccount: AccountUnderTest;
  readonly #phones: readonly SipPhone[];

  private constructor(gateway: Gateway, accounts: readonly [TrunkAccount, TrunkAccount], patienceMs: number) {
    this.gateway = gateway;
    [this.account, this.otherAccount] = accounts;
    this.#phones = accounts.map(({ phone }) => phone);
    this.patienceMs = patienceMs;
  }

  static async start({ patienceMs, gateway: options = {} }: SipTestOptions): Promise<SipUnderTest> {
    const phones = [await SipPhone.start(), await SipPhone.start()] as const;
    const { env, ...others } = options;
    const gateway = await Gateway.start({
      ...others,
      env: {
        ...GATEWAY_ENV,
        SVC_SIP_TRUNK_ALLOW: '127.0.0.0/8',
        NODE_OPTIONS: `--import=${FAULTS}`,
        ...env,
      },
    });
    for (const phone of phones) phone.facing(gateway.sipPort);
    const operator = new TrunkAccount(gateway, gateway.agentKey, phones[0]);
    await gateway.putTrunk({ host: '127.0.0.1', port: phones[0].port });
    const { status } = await gateway.settingsApi.post('/api/sip/dids', { number: NUMBER });
    if (status !== 200) throw new Error(`POST did: ${status}`);
    const key = await secondAccount(gateway, phones[1].port);
    const member = new TrunkAccount(gateway, key, phones[1]);
    return new SipUnderTest(gateway, [operator, member], patienceMs);
  }

  killEngineThread(): void {
    process.kill(this.gateway.pid, 'SIGUSR2');
  }

  hangUpAll(): void {
    for (const phone of this.#phones) phone.hangUpAll();
  }

  async stop(): Promise<void> {
    await this.gateway.stop();
    for (const phone of this.#phones) phone.stop();
  }
}

/** Signs somebody up, connects a trunk to the port and returns an agent key. */
async function secondAccount(gateway: Gateway, port: number): Promise<string> {
  const person = await memberOf(gateway, 'other@example.com');
  const trunk = { host: '127.0.0.1', port, username: 'other', password: 'secret', register: false };
  const connected = await person.request('PUT', '/api/sip/trunk', trunk);
  if (connected.status !== 200) throw new Error(`PUT trunk: ${JSON.stringify(connected.body)}`);
  await waitFor('the trunk', async () => {
    const { body } = await person.request('GET', '/api/sip/trunk');
    return body.inbound_uri;
  });
  const { body } = await person.request('POST', '/api/api-keys', { name: 'conformance' });
  const key = Object.values<string>(body).find((value) => /^svc_.{30}/.test(value))!;
  gateway.secrets.add(key);
  return key;
}

class TrunkAccount implements AccountUnderTest {
  readonly api;
  readonly agentKey: string;
  readonly phone: SipPhone;
  readonly #gateway: Gateway;
  #numbers = 0;

  constructor(gateway: Gateway, agentKey: string, phone: SipPhone) {
    this.#gateway = gateway;
    this.api = gateway.api(agentKey);
    this.agentKey = agentKey;
    this.phone = phone;
  }

  newMeeting(): string {
    this.#numbers++;
    return `sip:+336${`${this.#numbers}`.padStart(8, '0')}@127.0.0.1:${this.phone.port}`;
  }

  get offers(): number {
    return this.phone.offers;
  }

  async offered(meetingUrl: string, deadlineMs: number): Promise<OfferedCall> {
    return await this.phone.offered(meetingUrl, deadlineMs);
  }

  async called(): Promise<CallerUnderTest> {
    return await this.phone.dial(`sip:${NUMBER}@127.0.0.1:${this.#gateway.sipPort}`);
  }
}
