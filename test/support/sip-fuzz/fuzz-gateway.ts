import { createSocket } from 'node:dgram';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { LegObserver, PlatformLeg } from '../../../src/connectors/contract/call-leg.ts';
import type { InboundAnswerer, InboundCall, RingAnswer } from '../../../src/connectors/contract/connector.ts';
import { MessageRouter } from '../../../src/connectors/sip/signaling/message-router.ts';
import type { SipCounter } from '../../../src/connectors/sip/signaling/sip-observer.ts';
import { TransportLayer } from '../../../src/connectors/sip/signaling/transport/transport-layer.ts';
import { UdpTransport } from '../../../src/connectors/sip/signaling/transport/udp-transport.ts';
import type { Source } from '../../../src/connectors/sip/signaling/transport/wire.ts';
import type { Trunk } from '../../../src/connectors/sip/signaling/trunk/trunk.ts';
import { SipConnector } from '../../../src/connectors/sip/sip-connector.ts';
import type { MediaControl } from '../../../src/media/media-control.ts';
import { dialTo, NUMBER, trunkTo } from '../../unit/connectors/sip/signaling/start-connector.ts';
import type { SeededRandom } from '../seeded-random.ts';
import { FuzzClock } from './fuzz-clock.ts';

/** Nothing listens there: what the gateway sends is caught before it reaches a socket. */
export const TRUNK_HOST = '127.0.0.1';
export const TRUNK_PORT = 6_060;
const SENT_KEPT = 400;
const TURNS = 2_000;

/** Media that agrees to everything and opens nothing. */
const NO_MEDIA: MediaControl = {
  open: async () => ({ configure: async () => {}, command: () => new Promise(() => {}) }),
};

const NOBODY: LegObserver = {
  ringing() {},
  earlyMedia() {},
  held() {},
  waiting() {},
  created() {},
  answered() {},
  capabilities() {},
  participants() {},
  speaking() {},
  chat() {},
  said() {},
  dtmf() {},
  ended() {},
};

/** The calls and messages held at one moment. */
export interface Held {
  readonly dialogs: number;
  readonly userAgents: number;
  readonly requests: number;
  readonly received: number;
  readonly legs: number;
  readonly timers: number;
}

/** A connector whose messages come from a test and go to one, in a time of the test's own. */
export class FuzzGateway implements InboundAnswerer {
  readonly clock = new FuzzClock();
  readonly counters = new Map<SipCounter, number>();
  readonly faults: string[] = [];
  /** The messages that the gateway has sent lately, newest last. */
  readonly sent: string[] = [];
  readonly connector: SipConnector;
  /** What becomes of a call that rings. */
  fate: () => 'accept' | 'refuse' | 'ring' | 'none' = () => 'ring';
  #router: MessageRouter | null = null;
  #layer: TransportLayer<Trunk> | null = null;
  readonly #cores = new Set<Trunk['core']>();
  readonly #legs = new Set<PlatformLeg>();
  readonly #restore: (() => void)[] = [];

  private constructor() {
    this.connector = new SipConnector(
      {
        host: '127.0.0.1',
        port: 0,
        portIsDefault: false,
        advertisedHost: null,
        rtpPortMin: 20_000,
        rtpPortMax: 60_000,
        codecs: ['opus', 'PCMU', 'PCMA'],
        trunkAllow: ['127.0.0.0/8'],
        trunkBindings: [],
        directHosts: [],
      },
      this.clock,
      {
        count: (counter) => this.counters.set(counter, (this.counters.get(counter) ?? 0) + 1),
        log: (_level, text, detail) => void this.faults.push(`${text} ${JSON.stringify(detail)}`),
      },
    );
    this.connector.onInbound(this);
  }

  static async start(): Promise<FuzzGateway> {
    const gateway = new FuzzGateway();
    gateway.#intercept();
    gateway.clock.install();
    await gateway.connector.start();
    gateway.connector.putTrunk(trunkTo(TRUNK_PORT));
    gateway.connector.putNumber(NUMBER);
    await gateway.#capture();
    return gateway;
  }

  /** The prototypes give a test access to the private parts of the connector. */
  #intercept(): void {
    const self = this;
    const { send } = UdpTransport.prototype;
    const { receive } = MessageRouter.prototype;
    const { send: transmit } = TransportLayer.prototype;
    UdpTransport.prototype.send = (text) => {
      if (self.sent.push(text) > SENT_KEPT) self.sent.shift();
      return Promise.resolve();
    };
    MessageRouter.prototype.receive = function (...args) {
      self.#router = this;
      return receive.apply(this, args);
    };
    TransportLayer.prototype.send = function (trunk, text) {
      self.#layer = this as TransportLayer<Trunk>;
      self.#cores.add((trunk as Trunk).core);
      return transmit.call(this, trunk, text);
    };
    this.#restore.push(() => {
      UdpTransport.prototype.send = send;
      MessageRouter.prototype.receive = receive;
      TransportLayer.prototype.send = transmit;
    });
  }

  /** One real datagram shows the router, one answered request the layer. */
  async #capture(): Promise<void> {
    const socket = createSocket('udp4');
    socket.send('\r\n', this.connector.port!, '127.0.0.1');
    await this.until(() => this.#router !== null);
    socket.close();
    await this.until(() => {
      const options = [
        `OPTIONS sip:${NUMBER.number}@127.0.0.1 SIP/2.0`,
        'Via: SIP/2.0/UDP 127.0.0.1:6060;branch=z9hG4bKcapture',
        'From: <sip:a@127.0.0.1>;tag=a',
        'To: <sip:b@127.0.0.1>',
        `Call-ID: capture${Math.random()}`,
        'CSeq: 1 OPTIONS',
        '',
        '',
      ];
      this.deliver(Buffer.from(options.join('\r\n')), this.trunkSource());
      return this.#layer !== null;
    });
  }

  trunkSource(): Source {
    return { protocol: 'udp', host: TRUNK_HOST, port: TRUNK_PORT, connection: null };
  }

  deliver(bytes: Buffer, source: Source): boolean {
    return this.#router!.receive(bytes, source);
  }

  ring(call: InboundCall): RingAnswer {
    const fate = this.fate();
    if (fate === 'none') return 'busy';
    const leg = call.take(NO_MEDIA, NOBODY);
    this.#hold(leg);
    if (fate === 'accept') leg.accept();
    else if (fate === 'refuse') leg.refuse();
    return 'ringing';
  }

  dial(): PlatformLeg {
    const leg = this.connector.dial(dialTo('sip:+33999999999@127.0.0.1'), NO_MEDIA, NOBODY);
    this.#hold(leg);
    return leg;
  }

  #hold(leg: PlatformLeg): void {
    this.#legs.add(leg);
    void leg.released.then(() => this.#legs.delete(leg));
  }

  /** Lets promises and sockets have their turns until something holds; false when it never does. */
  async until(condition: () => boolean): Promise<boolean> {
    for (let turn = 0; turn < TURNS; turn++) {
      if (condition()) return true;
      await nextTurn();
    }
    return condition();
  }

  async settle(): Promise<void> {
    for (let turn = 0; turn < 5; turn++) await nextTurn();
  }

  /** Hangs everything up, lets every timer run, and returns what is left. */
  async drain(): Promise<Held> {
    for (const leg of this.#legs) leg.hangUp();
    for (let minute = 0; minute < 70; minute++) {
      this.clock.advance(30_000);
      await this.settle();
      if (minute === 4) for (const leg of this.#legs) leg.hangUp();
    }
    return this.held();
  }

  held(): Held {
    const sum = (size: (core: Trunk['core']) => number): number =>
      [...this.#cores].reduce((total, core) => total + size(core), 0);
    return {
      dialogs: sum((core) => core.dialogs.size),
      userAgents: sum(
        (core) => core.userAgentClients.size + core.userAgentServers.size + core.subscribers.size,
      ),
      requests: this.#layer?.requests.size ?? 0,
      received: this.#layer?.received.size ?? 0,
      legs: this.#legs.size,
      timers: this.clock.timers,
    };
  }

  /** An account's trunk that registers, for the responses to that. */
  register(random: SeededRandom): void {
    const accountId = `acc_${random.below(1e9)}`;
    const inboundToken = accountId.padEnd(32, '0');
    const trunk = trunkTo(TRUNK_PORT, { accountId, register: true, inboundToken, ofOperator: false });
    this.connector.putTrunk(trunk);
    this.#registered.push(accountId);
  }

  readonly #registered: string[] = [];

  unregister(): void {
    for (const accountId of this.#registered.splice(0)) this.connector.removeTrunk(accountId);
  }

  async stop(): Promise<void> {
    const closed = this.connector.close(100);
    for (let i = 0; i < 10; i++) {
      this.clock.advance(1_000);
      await this.settle();
    }
    await closed;
    this.clock.uninstall();
    for (const restore of this.#restore) restore();
  }
}
