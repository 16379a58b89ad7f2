import { type Clock, systemClock } from '../../../../../src/base/time.ts';
import type { DialRequest } from '../../../../../src/connectors/contract/connector.ts';
import type { SipTrunk } from '../../../../../src/connectors/contract/sip-accounts.ts';
import type { SipCounter, SipObserver } from '../../../../../src/connectors/sip/signaling/sip-observer.ts';
import { SipConnector, type SipConnectorOptions } from '../../../../../src/connectors/sip/sip-connector.ts';
import { claimRtpPorts, type PortClaim } from '../../../../support/free-ports.ts';
import { RecordingAnswerer } from './fake-calls.ts';

/** A request to dial over the trunk of `acc_1`. */
export function dialTo(target: string, more: Partial<DialRequest> = {}): DialRequest {
  const login = { kind: 'trunk' } as const;
  return {
    callId: 'call_1',
    accountId: 'acc_1',
    agentId: 'agt_1',
    login,
    target,
    dtmf: '',
    agentName: 'A',
    ...more,
  };
}

/** A connector on loopback with an answerer that records. */
export class ConnectorUnderTest {
  readonly connector: SipConnector;
  readonly answerer = new RecordingAnswerer();
  readonly counters = new Map<SipCounter, number>();
  readonly logs: string[] = [];
  readonly #rtp: PortClaim;

  private constructor(rtp: PortClaim, options: Partial<SipConnectorOptions>, clock: Clock) {
    this.#rtp = rtp;
    const observer: SipObserver = {
      count: (counter) => this.counters.set(counter, this.counted(counter) + 1),
      log: (_level, text, detail) => this.logs.push(`${text} ${JSON.stringify(detail)}`),
    };
    this.connector = new SipConnector(
      {
        host: '127.0.0.1',
        port: 0,
        portIsDefault: false,
        advertisedHost: null,
        rtpPortMin: rtp.first,
        rtpPortMax: rtp.last,
        codecs: ['PCMU', 'PCMA'],
        trunkAllow: [],
        directHosts: [],
        trunkBindings: [],
        ...options,
      },
      clock,
      observer,
    );
    this.connector.onInbound(this.answerer);
  }

  /** A connector that is not started yet. */
  static prepare(rtp: PortClaim, port: number): ConnectorUnderTest {
    return new ConnectorUnderTest(rtp, { port }, systemClock);
  }

  static async start(
    options: Partial<SipConnectorOptions> = {},
    clock = systemClock,
  ): Promise<ConnectorUnderTest> {
    const test = new ConnectorUnderTest(await claimRtpPorts(30), options, clock);
    await test.connector.start();
    return test;
  }

  get rtpPortMin(): number {
    return this.#rtp.first;
  }

  get uri(): string {
    return `127.0.0.1:${this.connector.port}`;
  }

  counted(counter: SipCounter): number {
    return this.counters.get(counter) ?? 0;
  }

  async stop(): Promise<void> {
    await this.connector.close(300);
    for (const { notes } of this.answerer.calls) notes.media.close();
    this.#rtp.release();
  }
}

/** The inbound token of trunks for which a test sets no other. */
export const TOKEN = '0123456789abcdef'.repeat(2);

export function trunkTo(port: number, settings: Partial<SipTrunk> = {}): SipTrunk {
  return {
    accountId: 'acc_1',
    host: '127.0.0.1',
    port,
    transport: 'udp',
    username: 'gateway',
    password: 'secret',
    realm: null,
    callerId: '+33100000000',
    register: false,
    srtp: 'off',
    behindNat: false,
    mediaTimeoutS: null,
    callerIdIn: 'from',
    callerFrom: 'p_asserted_identity',
    inboundToken: TOKEN,
    ofOperator: true,
    ...settings,
  };
}

export const NUMBER = {
  didId: 'did_1',
  accountId: 'acc_1',
  agentId: 'agt_1',
  number: '+33123456789',
  autoAnswer: false,
  presets: { stt: null, tts: null },
} as const;
