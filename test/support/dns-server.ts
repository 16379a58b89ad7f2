import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

const TYPES: Readonly<Record<number, RecordType>> = { 1: 'A', 28: 'AAAA' };
const NAME_ERROR = 3;
const HEADER_BYTES = 12;

export type RecordType = 'A' | 'AAAA';

/**
 * What a name's records are when it is asked for the nth time (from 0): all of the same time to live, none; undefined:
 * there is no such name.
 */
export type Zone = (name: string, type: RecordType, nth: number) => readonly string[] | undefined;

/** A DNS server on a free UDP port of 127.0.0.1 whose answers may change from question to question (RFC 1035). */
export class DnsServer {
  /** All questions, as `A name`. */
  readonly asked: string[] = [];
  readonly #socket: Socket;
  readonly #zone: Zone;

  private constructor(socket: Socket, zone: Zone) {
    this.#socket = socket;
    this.#zone = zone;
    socket.on('message', (query, { address, port }) => {
      const answer = this.#answer(query);
      if (answer !== null) socket.send(answer, port, address);
    });
  }

  static async start(zone: Zone): Promise<DnsServer> {
    const socket = createSocket('udp4');
    const server = new DnsServer(socket, zone);
    socket.bind(0, '127.0.0.1');
    await once(socket, 'listening');
    return server;
  }

  /** As resolvers take it: `127.0.0.1:port`. */
  get address(): string {
    return `127.0.0.1:${(this.#socket.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.#socket.close();
  }

  #answer(query: Buffer): Buffer | null {
    const { name, end } = nameAt(query, HEADER_BYTES);
    const type = TYPES[query.readUInt16BE(end)];
    if (type === undefined) return null;
    const question = `${type} ${name}`;
    const nth = this.asked.filter((each) => each === question).length;
    this.asked.push(question);
    return answerTo(query.subarray(0, end + 4), type, this.#zone(name, type, nth));
  }
}

function nameAt(query: Buffer, offset: number): { name: string; end: number } {
  const labels: string[] = [];
  let at = offset;
  for (let length = query[at]!; length > 0; length = query[at]!) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), end: at + 1 };
}

function answerTo(question: Buffer, type: RecordType, addresses: readonly string[] | undefined): Buffer {
  const header = Buffer.from(question);
  // A response, recursion available; the question's own id and name stay.
  header.writeUInt16BE(0x8180 | (addresses === undefined ? NAME_ERROR : 0), 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(addresses?.length ?? 0, 6);
  header.writeUInt32BE(0, 8);
  return Buffer.concat([header, ...(addresses ?? []).map((address) => recordOf(type, address))]);
}

function recordOf(type: RecordType, address: string): Buffer {
  const data = type === 'A' ? Buffer.from(address.split('.').map(Number)) : ipv6Bytes(address);
  const record = Buffer.alloc(12);
  record.writeUInt16BE(0xc000 | HEADER_BYTES, 0);
  record.writeUInt16BE(type === 'A' ? 1 : 28, 2);
  record.writeUInt16BE(1, 4);
  // A time to live of 0, because its addresses may change at once.
  record.writeUInt32BE(0, 6);
  record.writeUInt16BE(data.length, 10);
  return Buffer.concat([record, data]);
}

function ipv6Bytes(address: string): Buffer {
  const [before = '', after = ''] = address.split('::');
  const groups = (text: string) => text.split(':').filter((group) => group !== '');
  const [head, tail] = [groups(before), groups(after)];
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => '0');
  const bytes = Buffer.alloc(16);
  for (const [i, group] of [...head, ...zeros, ...tail].entries()) {
    bytes.writeUInt16BE(Number.parseInt(group, 16), i * 2);
  }
  return bytes;
}
