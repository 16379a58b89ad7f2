import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeCertificate } from '../../support/certificate.ts';
import { claimSignalingPorts, type PortClaim } from '../../support/free-ports.ts';
import { startMediaClock } from '../../support/media-clock.ts';
import { type SipFlow, SipFlows } from '../../support/sip-flows.ts';
import { parseSipUri, respond, type SipMessage, type SipRequest } from '../../support/sip-message.ts';
import { waitFor } from '../../support/wait-for.ts';
import { CrcCall, type CrcMeeting } from './crc-call.ts';
import { violationsOf } from './crc-rules.ts';
import { CRC_CODECS, type CrcCodec } from './crc-sdp.ts';

export interface CrcOptions {
  readonly meetings?: readonly CrcMeeting[];
  /** The names it is called by; its certificate is for the first, and those below it. */
  readonly names?: readonly string[];
  /** The best first. */
  readonly codecs?: readonly CrcCodec[];
  /** Room systems at a time; more are refused like those without a licence. */
  readonly ports?: number;
  /** UDP and TCP; TLS is one above. Absent: free ones. */
  readonly port?: number;
}

const HOST = '127.0.0.1';
const MEETING: CrcMeeting = { id: '81234567890', passcode: '123456', lets: 'in' };
/** Id, and after dots passcode, layout, host key and the participant's code. */
const USER = /^\d{9,11}(?:\.\d*){0,4}$/;

/** Zoom's Conference Room Connector, as far as its callers' documentation tells: SIP over TLS, TCP and UDP on loopback. */
export class FakeCrc {
  /** UDP and TCP. */
  readonly port: number;
  readonly tlsPort: number;
  /** In PEM format, to be trusted. */
  readonly certificate: string;
  readonly names: readonly string[];
  /** Room systems, in the order of their calls. */
  readonly calls: CrcCall[] = [];
  /** Violations of RFC 3261, and of what a room system has to send, in requests. */
  readonly violations: string[] = [];
  readonly #meetings: readonly CrcMeeting[];
  readonly #codecs: readonly CrcCodec[];
  readonly #ports: number;
  readonly #claim: PortClaim | null;
  readonly #folder = mkdtempSync(join(tmpdir(), 'crc-'));
  readonly #clock: { stop(): void };
  #flows!: SipFlows;

  private constructor(options: CrcOptions, claim: PortClaim | null) {
    this.names = options.names ?? ['zoomcrc.com', 'global.zoomcrc.com'];
    this.#meetings = options.meetings ?? [MEETING];
    this.#codecs = options.codecs ?? CRC_CODECS;
    this.#ports = options.ports ?? Number.POSITIVE_INFINITY;
    this.#claim = claim;
    this.port = options.port ?? claim!.first;
    this.tlsPort = this.port + 1;
    const { certPath } = makeCertificate(this.#folder, `DNS:${this.names[0]},DNS:*.${this.names[0]}`);
    this.certificate = readFileSync(certPath, 'utf8');
    this.#clock = startMediaClock(() => {
      for (const call of this.calls) call.tick();
    });
  }

  static async start(options: CrcOptions = {}): Promise<FakeCrc> {
    const claim = options.port === undefined ? await claimSignalingPorts(2) : null;
    const crc = new FakeCrc(options, claim);
    const pemPath = (name: string) => join(crc.#folder, name);
    crc.#flows = await SipFlows.open(
      {
        host: HOST,
        port: crc.port,
        certificate: {
          certPath: pemPath('cert.pem'),
          keyPath: pemPath('key.pem'),
          pemPath: pemPath('both.pem'),
        },
      },
      (message, flow) => crc.#receive(message, flow),
    );
    return crc;
  }

  /** File with the certificate. */
  get certificatePath(): string {
    return join(this.#folder, 'cert.pem');
  }

  /** DNS records that lead to it over these transports: by `TYPE name`, as `test/support/dns-records.mjs` takes them. */
  records(protocols: readonly SipFlow['protocol'][] = ['TLS', 'TCP', 'UDP']): Record<string, unknown> {
    const server = `sip.${this.names[0]}`;
    const records: Record<string, unknown> = { [`A ${server}`]: [{ address: HOST, ttl: 60 }] };
    for (const name of this.names)
      for (const protocol of protocols) {
        const service = protocol === 'TLS' ? '_sips._tcp' : `_sip._${protocol.toLowerCase()}`;
        const port = protocol === 'TLS' ? this.tlsPort : this.port;
        records[`SRV ${service}.${name}`] = [{ name: server, port, priority: 1, weight: 1 }];
      }
    return records;
  }

  /** The first room system that has dialled this user part. */
  caller(user: string): Promise<CrcCall> {
    return waitFor(`a caller of ${user}`, () => this.calls.find((call) => call.user === user));
  }

  async stop(): Promise<void> {
    this.#clock.stop();
    for (const call of this.calls) call.stop();
    await this.#flows.close();
    this.#claim?.release();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #receive(message: SipMessage, flow: SipFlow): void {
    const call = this.calls.find(({ callId }) => callId === message.headers['call-id']);
    if (message.method === undefined) {
      if (message.headers.cseq.method === 'BYE') call?.byeAnswered();
      return;
    }
    this.violations.push(...violationsOf(message, flow.protocol, this.names));
    if (call !== undefined) {
      const answer = call.request(message);
      if (answer !== null) flow.send(answer);
    } else if (message.method === 'INVITE') this.#ring(message, flow);
    else if (message.method !== 'ACK') flow.send(respond(message, ...unknown(message)));
  }

  #ring(invite: SipRequest, flow: SipFlow): void {
    flow.send(respond(invite, 100, 'Trying'));
    const user = parseSipUri(invite.uri).user ?? '';
    if (!USER.test(user)) return flow.send(respond(invite, 404, 'Not Found'));
    const meeting = this.#meetings.find(({ id }) => id === user.split('.')[0]) ?? null;
    const isFull =
      this.calls.filter(({ place }) => place !== 'over' && place !== 'refused').length >= this.#ports;
    const port = flow.protocol === 'TLS' ? this.tlsPort : this.port;
    const wire = {
      local: `${HOST}:${port}`,
      protocol: flow.protocol,
      send: (message: SipMessage) => flow.send(message),
    };
    const call = new CrcCall(
      invite,
      user,
      isFull && meeting ? { ...meeting, lets: 'unlicensed' } : meeting,
      wire,
    );
    this.calls.push(call);
    void call.answer(this.#codecs);
  }
}

function unknown({ method }: SipRequest): [number, string] {
  return method === 'OPTIONS' ? [200, 'OK'] : [481, 'Call/Transaction Does Not Exist'];
}
