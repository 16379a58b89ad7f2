import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { audioSdp } from '../../sip-text.ts';
import { activeCall } from '../active-call.ts';
import { type Attack, PROVIDER_HOST, type Target } from '../attack.ts';
import { flood } from '../flood.ts';
import { MainCpu } from '../gateway-watch.ts';
import { leave, newTenant, type Tenant } from '../member.ts';
import type { Notes } from '../notes.ts';
import { openMany, type RawConnection } from '../raw-connection.ts';
import { OPCODE, openSockets, shortFrame } from '../raw-socket.ts';
import { ScriptedProvider } from '../scripted-provider.ts';

const NUMBER = 17;
/** Of each kind. With more, a gateway without limits would stand still for minutes. */
const FLOOD_BYTES = 8_000_000;
const CLOSED_MS = 5_000;
/** Of the gateway's main thread for one flood, most of it to refuse: without limits it was 500 to 15,000. */
const MAX_CPU_MS = 150;
const COUNTS = [1, 20] as const;
const MOST_ENDLESS = 8;
const BANNED_MS = 10_500;

/** What costs the gateway more than the sender, by the bytes. */
const FRAMES: readonly (readonly [string, Buffer])[] = [
  ['empty pongs', shortFrame(OPCODE.pong)],
  ['empty pings', shortFrame(OPCODE.ping)],
  ['empty frames', shortFrame(OPCODE.binary)],
  ['frames of one byte', shortFrame(OPCODE.binary, 'x')],
  ['messages {}', shortFrame(OPCODE.text, '{}')],
  ['questions', shortFrame(OPCODE.text, '{"type":"audio_config"}')],
];

/** A message that never ends. Found within half a second, whatever has come by then. */
const ENDLESS = {
  what: 'empty continuations',
  first: shortFrame(OPCODE.text, '', false),
  unit: shortFrame(OPCODE.continuation, '', false),
  bytes: 200_000_000,
  maxCpuMs: 800,
} as const;

/** One client sends millions of the smallest things there are, and another account has a call meanwhile. */
export const socketFloods: Attack = {
  number: NUMBER,
  name: 'millions of tiny frames, chunks and requests',
  async run(target, notes, mails) {
    const tenant = await newTenant(target, mails, NUMBER, 1);
    const phone = await Phone.open(target);
    const callId = await phone.takeCall(tenant);
    const key = `api_key=${tenant.agentKey}`;
    const flooding = new Flooding(notes, await MainCpu.of(target.pid));
    await floodSockets(target, `/api/call/${callId}/stream?${key}`, 'call', flooding);
    await floodSockets(target, `/api/inbox/stream?${key}`, 'inbox', flooding);
    await floodBodies(target, tenant, flooding);
    await floodRequests(target, flooding);
    await tenant.agentApi.delete(`/api/call/${callId}`);
    await phone.close(tenant);
    await leave(tenant);
  },
};

async function floodSockets(
  { httpPort }: Target,
  path: string,
  what: string,
  flooding: Flooding,
): Promise<void> {
  for (const [name, frame] of FRAMES)
    for (const count of COUNTS) {
      const sockets = await openSockets(httpPort, path, count);
      await flooding.flood(`${name} over ${count} ${what} sockets of one account`, sockets, frame);
    }
  const sockets = await openSockets(httpPort, path, MOST_ENDLESS);
  for (const socket of sockets) socket.send(ENDLESS.first);
  await flooding.flood(
    `${ENDLESS.what} over ${sockets.length} ${what} sockets of one account`,
    sockets,
    ENDLESS.unit,
    ENDLESS,
  );
  // Until its account may open others.
  await pause(BANNED_MS);
}

/** Bodies of a stranger, of somebody with a key, and a form. */
async function floodBodies({ httpPort }: Target, { agentKey }: Tenant, flooding: Flooding): Promise<void> {
  const key = `X-API-Key: ${agentKey}\r\n`;
  const json = 'Content-Type: application/json\r\n';
  const heads = {
    'a stranger': `POST /auth/login HTTP/1.1\r\nHost: a\r\n${json}`,
    'somebody with a key': `POST /api/call HTTP/1.1\r\nHost: a\r\n${key}${json}`,
    'a form': `POST /api/files HTTP/1.1\r\nHost: a\r\n${key}Content-Type: multipart/form-data; boundary=x\r\n`,
  };
  for (const [name, head] of Object.entries(heads))
    for (const count of COUNTS) {
      const connections = await openMany(httpPort, count);
      for (const each of connections) each.send(`${head}Transfer-Encoding: chunked\r\n\r\n`);
      const what = `chunks of one byte over ${count} connections: ${name}`;
      await flooding.flood(what, connections, Buffer.from('1\r\na\r\n'));
    }
}

async function floodRequests({ httpPort }: Target, flooding: Flooding): Promise<void> {
  const request = Buffer.from('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  for (const count of COUNTS) {
    const connections = await openMany(httpPort, count);
    await flooding.flood(`the shortest requests over ${count} connections`, connections, request);
  }
}

/** Floods one after the other, and judges each. */
class Flooding {
  readonly #notes: Notes;
  readonly #cpu: MainCpu;

  constructor(notes: Notes, cpu: MainCpu) {
    this.#notes = notes;
    this.#cpu = cpu;
  }

  async flood(
    what: string,
    connections: readonly RawConnection[],
    unit: Buffer,
    { bytes, maxCpuMs } = { bytes: FLOOD_BYTES, maxCpuMs: MAX_CPU_MS },
  ): Promise<void> {
    this.#notes.act(`${bytes / 1e6} MB of ${what}`);
    let closed: readonly boolean[] = [];
    const cpuMs = await this.#cpu.msOf(async () => {
      await flood(connections, unit, bytes);
      closed = await Promise.all(connections.map((each) => each.closesWithin(CLOSED_MS)));
    });
    const open = closed.filter((isClosed) => !isClosed).length;
    this.#notes.demand(open === 0 && closed.length > 0, `${what}: still open`, open);
    this.#notes.demand(cpuMs < maxCpuMs, `${what}: CPU of the main thread, ms`, Math.round(cpuMs));
    for (const each of connections) each.destroy();
  }
}

/** A provider whose phone answers and stays silent. */
class Phone {
  readonly #provider: ScriptedProvider;
  readonly #rtp = createSocket('udp4');

  private constructor(provider: ScriptedProvider) {
    this.#provider = provider;
  }

  static async open({ sipPort }: Target): Promise<Phone> {
    const phone = new Phone(await ScriptedProvider.open(sipPort));
    phone.#rtp.bind(0, PROVIDER_HOST);
    await once(phone.#rtp, 'listening');
    const { port } = phone.#rtp.address();
    phone.#provider.answer = () => ({ status: '200 OK', sdp: audioSdp(PROVIDER_HOST, port) });
    return phone;
  }

  /** Resolves with the id of a call that is active. */
  async takeCall(tenant: Tenant): Promise<string> {
    return await activeCall(tenant, this.#provider.port);
  }

  async close({ settingsApi }: Tenant): Promise<void> {
    await pause(300);
    this.#provider.close();
    this.#rtp.close();
    await settingsApi.delete('/api/sip/trunk');
  }
}
