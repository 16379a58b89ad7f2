import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { claimSignalingPorts } from '../../../test/support/free-ports.ts';
import { spawnGateway } from '../../../test/support/gateway-process.ts';
import { type Attack, PROVIDER_HOST, type Target } from '../attack.ts';
import { Browser } from '../browser.ts';
import type { Mails } from '../mails.ts';
import { addressOf, leave, newTenant, PASSWORD, type Tenant, verifiedMember } from '../member.ts';
import type { Notes } from '../notes.ts';
import { codeIn, McpClient } from '../oauth-flow.ts';
import { RawConnection } from '../raw-connection.ts';
import { ScriptedProvider } from '../scripted-provider.ts';

const NUMBER = 16;
const APPROVED = 'http://127.0.0.1:33418/callback';
const NUMBER_LISTED = '+4930555123';
const OTHER_PORT = 'http://127.0.0.1:33999/callback';
/** 64 × T1 (RFC 3261 section 13.3.1.4), and a little. */
const UNACKNOWLEDGED_MS = 40_000;

/** What was found beside the large things. */
export const theRest: Attack = {
  number: NUMBER,
  name: 'loopback clients, lost keys, frames, no ACK',
  async run(target, notes, mails) {
    const unacknowledged = neverAcknowledged(target, notes, mails);
    await otherLoopbackPort(target, notes, mails);
    await unmaskedFrame(target, notes);
    await masterKeyWithoutDatabase(notes);
    await unacknowledged;
  },
};

/** A program on the same machine listens at another port for a code without consent. */
async function otherLoopbackPort(target: Target, notes: Notes, mails: Mails): Promise<void> {
  const owner = await verifiedMember(target, mails, NUMBER, 1);
  const client = await McpClient.register(target, APPROVED);
  await client.allow(owner.browser, await client.ask(owner.browser, APPROVED));
  notes.act('another program asks for a code at another loopback port, and with another PKCE challenge');
  const other = await client.ask(owner.browser, OTHER_PORT, 'x'.repeat(64));
  notes.demand(
    codeIn(other) === null,
    'at another port',
    codeIn(other) === null ? 'consent' : 'a silent code',
  );
  const later = new Browser(target.httpPort, addressOf(target, NUMBER, 2));
  await later.post('/auth/login', { email: owner.email, password: PASSWORD });
  const again = await client.ask(later, OTHER_PORT, 'y'.repeat(64));
  notes.demand(
    codeIn(again) === null,
    'in another session',
    codeIn(again) === null ? 'consent' : 'a silent code',
  );
  await leave({ ...owner, browser: later });
}

async function unmaskedFrame({ httpPort, agentKey, server }: Target, notes: Notes): Promise<void> {
  notes.act('a frame without a mask on an inbox socket');
  const connection = await RawConnection.open(httpPort);
  connection.send(
    `GET /api/inbox/stream?api_key=${agentKey} HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
      'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
  );
  await pause(500);
  // Long enough that a server does not wait for the rest of a masked header.
  connection.send(Buffer.concat([Buffer.from([0x81, 0x14]), Buffer.alloc(20, '{')]));
  const isClosed = await connection.closesWithin(3_000);
  const seen = closeCode(connection.text) ?? `closed: ${isClosed}`;
  // uWebSockets.js takes four bytes of the payload for the missing mask. There is no option against it.
  if (server === 'node') notes.demand(seen === 1002, 'it is closed with', seen);
  else notes.see(`it is closed with: ${seen}`);
  connection.destroy();
}

/** The code in the close frame (RFC 6455 section 5.5.1) that came last; null: there is none. */
function closeCode(text: string): number | null {
  const at = text.lastIndexOf('\u0088');
  return at < 0 ? null : Buffer.from(text, 'latin1').readUInt16BE(at + 2);
}

/** An installation whose database was lost must not quietly begin a new one. */
async function masterKeyWithoutDatabase(notes: Notes): Promise<void> {
  notes.act('a start with a master.key and no database');
  const folder = mkdtempSync(join(tmpdir(), 'lost-database-'));
  const ports = await claimSignalingPorts(3);
  writeFileSync(join(folder, 'master.key'), `${Buffer.alloc(32, 7).toString('base64')}\n`, { mode: 0o644 });
  const gateway = spawnGateway({
    SVC_DATA_DIR: folder,
    SVC_PORT: `${ports.first}`,
    SVC_SIP_HOST: '127.0.0.1',
    SVC_SIP_PORT: `${ports.first + 1}`,
  });
  for (let waited = 0; waited < 60 && gateway.running && !gateway.output.includes('is ready'); waited++)
    await pause(100);
  const seen = gateway.running ? 'it started' : 'refused';
  await gateway.stop();
  const says = /SVC_NEW_DATABASE/.test(gateway.output);
  notes.demand(
    seen === 'refused' && says,
    'it',
    `${seen}, ${says ? 'names' : 'does not name'} SVC_NEW_DATABASE`,
  );
  ports.release();
  rmSync(folder, { recursive: true });
}

/** A call that is accepted, and whose caller never says that it knows. */
async function neverAcknowledged(target: Target, notes: Notes, mails: Mails): Promise<void> {
  const tenant = await newTenant(target, mails, NUMBER, 3);
  const provider = await ScriptedProvider.open(target.sipPort);
  provider.acknowledges = false;
  const { settingsApi } = tenant;
  const trunk = { host: PROVIDER_HOST, port: provider.port, username: 'a', password: 'b', register: false };
  await settingsApi.put('/api/sip/trunk', trunk);
  await settingsApi.post('/api/sip/dids', { number: NUMBER_LISTED, auto_answer: false });
  const { body } = await settingsApi.get('/api/sip/trunk');
  const user = /^sips?:([^@]+)@/.exec(body.inbound_uri ?? '')?.[1] ?? NUMBER_LISTED;
  notes.act('a call that rings is accepted, and never acknowledged');
  const answered = provider.call(user, NUMBER_LISTED, 40_000);
  const callId = await ringing(tenant);
  if (callId === null) {
    notes.demand(false, 'the call rings', `no, but ${await answered}`);
  } else {
    const accepted = await fetch(`${target.baseUrl}/api/call/${callId}/accept`, {
      method: 'POST',
      headers: { 'X-API-Key': tenant.agentKey },
      signal: AbortSignal.timeout(UNACKNOWLEDGED_MS),
    });
    const said = await accepted.text();
    const hasReason = accepted.status === 502 && /acknowledge/.test(said);
    notes.demand(hasReason, 'the accept request gets the reason', `${accepted.status} ${said}`);
    notes.demand(await hasEnded(tenant), 'the call', (await hasEnded(tenant)) ? 'over' : 'goes on');
  }
  provider.close();
  await settingsApi.delete('/api/sip/trunk');
  await leave(tenant);
}

/** Returns the ringing call, or null. */
async function ringing({ agentApi }: Tenant): Promise<string | null> {
  for (let waited = 0; waited < 50; waited++) {
    const { body } = await agentApi.get('/api/calls');
    const [call] = body.calls ?? [];
    if (call?.state === 'ringing') return call.call_id;
    await pause(50);
  }
  return null;
}

async function hasEnded({ agentApi }: Tenant): Promise<boolean> {
  const { body } = await agentApi.get('/api/calls');
  return body.calls?.length === 0;
}
