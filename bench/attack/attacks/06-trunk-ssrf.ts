import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { audioSdp } from '../../sip-text.ts';
import { type Attack, PROVIDER_HOST, type Target } from '../attack.ts';
import { leave, newTenant, signUp, type Tenant } from '../member.ts';
import type { Notes } from '../notes.ts';
import { ScriptedProvider } from '../scripted-provider.ts';

const NUMBER = 6;
/** Only the operator may make the gateway send to this address. */
const INNER_HOST = '127.0.0.9';
const INNER_HOSTS = [
  ...[INNER_HOST, '127.0.0.1', 'localhost', '0.0.0.0', '::1', '::ffff:127.0.0.9'],
  ...['10.0.0.1', '169.254.169.254', 'fd00::1'],
];
const LOOK_MS = 1_500;
/** Words that would reveal whether a port is open and what is behind it. */
const TELLTALE =
  /ECONN|EHOST|ENET|ETIMEDOUT|errno|socket|certificate|127\.|169\.254|10\.\d|::1|SSL|wrong version/i;

/** A trunk that makes the gateway speak to machines which its user cannot reach. */
export const trunkSsrf: Attack = {
  number: NUMBER,
  name: 'trunks and peers that name inner addresses',
  async run(target, notes, mails) {
    const inner = await InnerService.open();
    const unproven = await signUp(target, NUMBER, 9);
    const key = await unproven.browser.post('/api/settings-keys', { name: 'attack' });
    notes.demand(key.status >= 400, 'a settings key without a proven address', key.status);
    const tenant = await newTenant(target, mails, NUMBER, 1);
    await innerTrunks(tenant, inner, notes);
    // How often a trunk may change is bounded, too.
    const other = await newTenant(target, mails, NUMBER, 2);
    await innerPeers(target, other, inner, notes);
    inner.close();
    for (const each of [tenant, other, unproven]) await leave(each);
  },
};

async function innerTrunks({ settingsApi }: Tenant, inner: InnerService, notes: Notes): Promise<void> {
  notes.act(`trunks to ${INNER_HOSTS.join(', ')} by TCP, UDP and TLS`);
  const telltales = new Set<string>();
  let changes = 0;
  for (const transport of ['tcp', 'udp', 'tls']) {
    for (const host of INNER_HOSTS) {
      const trunk = { host, port: inner.port, transport, username: 'a', password: 'b', register: true };
      const put = await settingsApi.put('/api/sip/trunk', trunk);
      if (put.status === 429) {
        notes.see(`after ${changes} changes of the trunk no more are taken`);
        return judge(inner, telltales, notes);
      }
      changes++;
      await pause(40);
      const shown = await settingsApi.get('/api/sip/trunk');
      const error = `${shown.body?.registration?.last_error ?? ''}`;
      if (TELLTALE.test(error)) telltales.add(error);
    }
  }
  await settingsApi.delete('/api/sip/trunk');
  await judge(inner, telltales, notes);
}

async function judge(inner: InnerService, telltales: ReadonlySet<string>, notes: Notes): Promise<void> {
  await pause(LOOK_MS);
  const told = telltales.size === 0 ? 'none' : `${telltales.size}, such as ${[...telltales][0]}`;
  notes.demand(telltales.size === 0, 'errors that reveal what is there', told);
  notes.demand(inner.contacts.length === 0, 'inner ports that the gateway spoke to', inner.seen);
}

/** A provider at an address that is allowed, which names others. */
async function innerPeers(target: Target, tenant: Tenant, inner: InnerService, notes: Notes): Promise<void> {
  inner.contacts.length = 0;
  const provider = await ScriptedProvider.open(target.sipPort);
  const { settingsApi, agentApi } = tenant;
  const trunk = { host: PROVIDER_HOST, port: provider.port, username: 'a', password: 'b', register: false };
  const put = await settingsApi.put('/api/sip/trunk', trunk);
  if (put.status !== 200) throw new Error(`the allowed trunk: ${put.status} ${JSON.stringify(put.body)}`);
  const innerUri = `sip:a@${INNER_HOST}:${inner.port}`;
  const peers = {
    'media at an inner address': { status: '200 OK', sdp: audioSdp(INNER_HOST, inner.port) },
    'an inner Contact': { status: '200 OK', contact: innerUri, sdp: audioSdp(PROVIDER_HOST, 40_000) },
    'an inner Record-Route': {
      status: '200 OK',
      headers: [`Record-Route: <${innerUri};lr>`],
      sdp: audioSdp(PROVIDER_HOST, 40_000),
    },
    'a redirect to an inner address': { status: '302 Moved Temporarily', contact: innerUri },
  };
  for (const [name, answer] of Object.entries(peers)) {
    notes.act(`an answer with ${name}`);
    provider.answer = () => answer;
    const uri = `sip:+4930123@${PROVIDER_HOST}:${provider.port}`;
    const placed = await agentApi.post('/api/call', { platform: 'sip', meeting_url: uri });
    await pause(LOOK_MS);
    const id: string | undefined = placed.body.call_id;
    if (id !== undefined) await agentApi.delete(`/api/call/${id}`);
    await pause(300);
    notes.demand(inner.contacts.length === 0, `${name}: packets and connections to it`, inner.seen);
    inner.contacts.length = 0;
  }
  provider.close();
  await settingsApi.delete('/api/sip/trunk');
}

/** A listener at an internal address, over TCP and UDP, that records every sender. */
class InnerService {
  readonly contacts: string[] = [];
  readonly #servers: readonly Server[];
  readonly #udp: readonly UdpSocket[];
  readonly port: number;

  private constructor(servers: readonly Server[], udp: readonly UdpSocket[], port: number) {
    this.#servers = servers;
    this.#udp = udp;
    this.port = port;
    for (const server of servers)
      server.on('connection', (socket) => {
        const { address } = server.address() as AddressInfo;
        this.contacts.push(`TCP ${address}`);
        socket.on('error', () => {});
        socket.destroy();
      });
    for (const socket of udp)
      socket.on('message', () => this.contacts.push(`UDP ${socket.address().address}`));
  }

  static async open(): Promise<InnerService> {
    const first = await listen(INNER_HOST, 0);
    const { port } = first.address() as AddressInfo;
    const second = await listen('127.0.0.1', port);
    const sockets = [INNER_HOST, '127.0.0.1'].map((host) => createSocket('udp4').bind(port, host));
    await Promise.all(sockets.map((socket) => once(socket, 'listening')));
    return new InnerService([first, second], sockets, port);
  }

  /** How often, and by which way. */
  get seen(): string {
    const ways = new Set(this.contacts);
    return this.contacts.length === 0 ? '0' : `${this.contacts.length} (${[...ways].join(', ')})`;
  }

  close(): void {
    for (const server of this.#servers) server.close();
    for (const socket of this.#udp) socket.close();
  }
}

async function listen(host: string, port: number): Promise<Server> {
  const server = createServer();
  server.listen(port, host);
  await once(server, 'listening');
  return server;
}
