import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { startMediaClock } from '../../support/media-clock.ts';
import {
  parseSip,
  parseSipUri,
  respond,
  type SipMessage,
  type SipRequest,
  sipBytes,
} from '../../support/sip-message.ts';
import { SIP_RULES } from '../../support/sip-rules.ts';
import { waitFor } from '../../support/wait-for.ts';
import { IvrCall, type IvrManners } from './ivr-call.ts';

export interface IvrOptions extends Partial<IvrManners> {
  /** 0: any free one. */
  readonly port?: number;
}

const MANNERS: IvrManners = {
  meetings: [{ id: '81234567890', passcode: '123456', lets: 'in' }],
  digits: 'events',
  bargeIn: true,
  attempts: 3,
  promptMs: 1_000,
  patienceMs: 10_000,
  network: { lossShare: 0, jitterMs: 0, seed: 1 },
};
const HOST = '127.0.0.1';
const FIRST_NUMBER = 5_550_000;

/** The dial-in number of a conference system: a SIP endpoint over UDP that answers every call with a menu. */
export class FakeIvr {
  readonly port: number;
  /** Callers, in the order of their calls. */
  readonly calls: IvrCall[] = [];
  /** Violations of RFC 3261 in requests. */
  readonly violations: string[] = [];
  readonly #socket: Socket;
  readonly #manners: IvrManners;
  readonly #numbers = new Map<string, IvrManners>();
  readonly #clock: { stop(): void };

  private constructor(socket: Socket, manners: IvrManners) {
    this.#socket = socket;
    this.#manners = manners;
    this.port = socket.address().port;
    socket.on('message', (bytes, from) => this.#receive(bytes, from));
    this.#clock = startMediaClock(() => {
      for (const call of this.calls) call.tick();
    });
  }

  static async start({ port = 0, ...manners }: IvrOptions = {}): Promise<FakeIvr> {
    const socket = createSocket('udp4');
    socket.bind(port, HOST);
    await once(socket, 'listening');
    return new FakeIvr(socket, { ...MANNERS, ...manners });
  }

  /** A number of its own, whose menu may have other manners. All others have the usual ones. */
  addNumber(manners: Partial<IvrManners> = {}): string {
    const number = `+1646${FIRST_NUMBER + this.#numbers.size}`;
    this.#numbers.set(number, { ...this.#manners, ...manners });
    return number;
  }

  /** The first caller of a number. */
  caller(number: string): Promise<IvrCall> {
    return waitFor(`a caller of ${number}`, () => this.calls.find((call) => call.number === number));
  }

  stop(): void {
    this.#clock.stop();
    for (const call of this.calls) call.stop();
    this.#socket.close();
  }

  #receive(bytes: Buffer, from: RemoteInfo): void {
    const message = parseSip(bytes);
    if (message === null) return;
    const call = this.calls.find(({ callId }) => callId === message.headers['call-id']);
    if (message.method === undefined) {
      if (message.headers.cseq.method === 'BYE') call?.byeAnswered();
      return;
    }
    this.#check(message);
    if (call !== undefined) this.#reply(call.request(message), from);
    else if (message.method === 'INVITE') this.#ring(message, from);
    else if (message.method !== 'ACK') this.#reply(respond(message, ...this.#unknown(message)), from);
  }

  #unknown({ method }: SipRequest): [number, string] {
    return method === 'OPTIONS' ? [200, 'OK'] : [481, 'Call/Transaction Does Not Exist'];
  }

  #ring(invite: SipRequest, from: RemoteInfo): void {
    const wire = {
      local: `${HOST}:${this.port}`,
      protocol: 'UDP' as const,
      send: (message: SipMessage) => this.#reply(message, from),
    };
    const number = parseSipUri(invite.uri).user ?? '';
    const call = new IvrCall(invite, number, this.#numbers.get(number) ?? this.#manners, wire);
    this.calls.push(call);
    void call.answer();
  }

  #reply(message: SipMessage | null, { address, port }: RemoteInfo): void {
    if (message !== null) this.#socket.send(sipBytes(message), port, address);
  }

  #check(request: SipRequest): void {
    for (const rule of SIP_RULES) {
      const broken = rule(request);
      if (broken !== null) this.violations.push(`${request.method}: ${broken}`);
    }
  }
}
