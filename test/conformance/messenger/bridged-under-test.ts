import { systemClock } from '../../../src/base/time.ts';
import { BridgeClient } from '../../../src/connectors/platform-bridge/bridge-client.ts';
import { BridgedConnector } from '../../../src/connectors/platform-bridge/bridged-connector.ts';
import { FakeBridge, TEXT_LIMIT } from '../../fakes/platform-bridge/fake-bridge.ts';
import { Gateway, type GatewayOptions } from '../../support/gateway.ts';
import { BridgedChannel, BridgedPerson, BridgeReports, PLATFORM } from './bridged-person-under-test.ts';
import {
  type ChannelUnderTest,
  GATEWAY_ENV,
  type LoginUnderTest,
  type MessengerUnderTest,
  type PersonUnderTest,
  type PlatformFaults,
} from './messenger-under-test.ts';

/** A connector to read declarations from. */
export function bridgedConnector(): BridgedConnector {
  return new BridgedConnector(PLATFORM, null, {
    client: new BridgeClient({ url: 'https://bridge.test', key: '' }, systemClock),
    clock: systemClock,
    openUrl: () => Promise.reject(new Error('never started')),
  });
}

export interface BridgedTestOptions {
  readonly patienceMs: number;
  readonly gateway?: GatewayOptions;
}

/**
 * A platform that a bridge carries. It has no webhooks of the kind that the suite knows: the bridge posts with a key,
 * which the tests of its endpoints are about.
 */
export class BridgedUnderTest implements MessengerUnderTest {
  readonly connector = bridgedConnector();
  patienceMs: number;
  readonly textLimit = TEXT_LIMIT;
  readonly canEdit = true;
  readonly canBlock = true;
  readonly gateway: Gateway;
  readonly login: LoginUnderTest;
  readonly #bridge: FakeBridge;
  readonly #reports: BridgeReports;
  readonly #channel: BridgedChannel;
  #people = 0;

  private constructor(gateway: Gateway, bridge: FakeBridge, patienceMs: number) {
    this.gateway = gateway;
    this.patienceMs = patienceMs;
    this.login = new BridgeLogin(bridge);
    this.#bridge = bridge;
    this.#reports = new BridgeReports(bridge, gateway);
    this.#channel = new BridgedChannel(this.#reports);
  }

  static async start({ patienceMs, gateway: options = {} }: BridgedTestOptions): Promise<BridgedUnderTest> {
    const bridge = await FakeBridge.start();
    const { env, ...others } = options;
    const ofBridge = {
      SVC_BRIDGE_KEY: bridge.key,
      SVC_BRIDGE_URL: bridge.url,
      SVC_BRIDGE_PLATFORMS: PLATFORM,
      SVC_FILES_FETCH_ALLOW: '127.0.0.1',
    };
    const gateway = await Gateway.start({ ...others, env: { ...GATEWAY_ENV, ...ofBridge, ...env } });
    gateway.secrets.add(bridge.key);
    const subject = new BridgedUnderTest(gateway, bridge, patienceMs);
    await subject.#link(subject.#channel);
    return subject;
  }

  async person(): Promise<PersonUnderTest> {
    this.#people++;
    const person = new BridgedPerson(this.#reports, `Person ${this.#people}`);
    await this.#link(person);
    return person;
  }

  channel(): ChannelUnderTest {
    return this.#channel;
  }

  readonly faults: PlatformFaults = {
    refuse: () => {
      const reason = 'Not in this room';
      this.#bridge.faults.push({ status: 200, body: JSON.stringify({ status: 'refused', reason }) });
      return reason;
    },
    throttle: () => {
      this.#bridge.faults.push({ status: 429, headers: { 'retry-after': '1' } });
      return 1_000;
    },
    loseAnswer: () => void this.#bridge.faults.push({ status: 200, cuts: true }),
    hold: (isDone) =>
      new Promise((reached) => this.#bridge.faults.push({ status: 200, hangs: { isDone, reached } })),
  };

  async stop(): Promise<void> {
    await this.gateway.stop();
    await this.#bridge.stop();
    const { refused } = this.#bridge;
    if (refused.length > 0) throw new Error(`refused by the bridge: ${refused.join('; ')}`);
  }

  async #link({ place }: Pick<BridgedPerson, 'place'>): Promise<void> {
    const { status, body } = await this.gateway.settingsApi.post('/api/invite-link', {});
    if (status !== 200) throw new Error(`POST invite-link: ${status} ${JSON.stringify(body)}`);
    const linked = await this.#reports.tell(place, { type: 'link', token: body.invite_token });
    if (linked !== 'done') throw new Error(`the link is ${linked}`);
  }
}

/** The gateway learns only from the answers to what it posts that the bridge has another key. */
class BridgeLogin implements LoginUnderTest {
  readonly recheckMs = Number.POSITIVE_INFINITY;
  readonly #bridge: FakeBridge;

  constructor(bridge: FakeBridge) {
    this.#bridge = bridge;
  }

  get isDead(): boolean {
    return this.#bridge.refusesKey;
  }

  kill(): string {
    this.#bridge.refusesKey = true;
    return 'The bridge answered 401';
  }

  revive(): void {
    this.#bridge.refusesKey = false;
  }
}
