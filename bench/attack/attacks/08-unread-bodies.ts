import { setTimeout as pause } from 'node:timers/promises';
import type { Attack, Target } from '../attack.ts';
import { MainCpu } from '../gateway-watch.ts';
import { leave, newTenant } from '../member.ts';
import type { Notes } from '../notes.ts';
import { RawConnection } from '../raw-connection.ts';

const NUMBER = 8;
const REPEATS = 20;
/** Reading 16 KB takes far less; 1 MB of nested JSON took 130. */
const MAX_CPU_MS = 8;
const NESTED = nested(500_000);

/** Expensive bodies from clients without credentials. */
export const unreadBodies: Attack = {
  number: NUMBER,
  name: 'bodies from clients without a key',
  async run(target, notes, mails) {
    const cpu = await MainCpu.of(target.pid);
    for (const path of ['/auth/login', '/auth/signup', '/auth/forgot-password', '/oauth/register'])
      await nestedJson(target, notes, cpu, path);
    await wrongSlot(target, notes);
    await webhooks(target, notes, cpu);
    const tenant = await newTenant(target, mails, NUMBER, 1);
    await deepJson(target, notes, cpu, tenant.agentKey);
    await leave(tenant);
  },
};

async function nestedJson(target: Target, notes: Notes, cpu: MainCpu, path: string): Promise<void> {
  notes.act(`1 MB of nested JSON at ${path}, ${REPEATS} times`);
  const statuses = new Set<number>();
  const body = `{"email":${NESTED}}`;
  const cpuMs = await cpu.msOf(async () => {
    for (let n = 0; n < REPEATS; n++) statuses.add(await post(target, path, body));
  });
  const seen = [...statuses].join(', ');
  notes.demand(seen === '413' || seen === '0', `what 1 MB at ${path} is answered`, seen);
  const each = cpuMs / REPEATS;
  notes.demand(each < MAX_CPU_MS, `main thread's CPU of each at ${path}, ms`, each.toFixed(1));
}

/** The head of an upload comes alone: whether its token is any good is known by then. */
async function wrongSlot({ httpPort }: Target, notes: Notes): Promise<void> {
  notes.act('an upload of 25 MB to a slot that does not exist, of which only the head is sent');
  const connection = await RawConnection.open(httpPort);
  connection.send(
    `POST /api/files/upload/${'x'.repeat(32)} HTTP/1.1\r\nHost: a\r\nContent-Length: 26000000\r\n` +
      'Content-Type: multipart/form-data; boundary=b\r\n\r\n',
  );
  for (let waited = 0; waited < 50 && connection.text === ''; waited++) await pause(40);
  const status = connection.text.slice(9, 12) || 'no answer in 2 s';
  notes.demand(status === '404', 'the answer before the body', status);
  connection.destroy();
}

async function webhooks(target: Target, notes: Notes, cpu: MainCpu): Promise<void> {
  const paths = ['/api/whatsapp/webhook/shared', `/api/telegram/webhook/${'k'.repeat(32)}`];
  for (const path of paths) {
    notes.act(`nested JSON of 1 MB without a signature, and 2 MB, at ${path}`);
    const statuses: number[] = [];
    const cpuMs = await cpu.msOf(async () => {
      for (let n = 0; n < REPEATS; n++) statuses.push(await post(target, path, NESTED));
    });
    const each = cpuMs / REPEATS;
    notes.demand(each < MAX_CPU_MS, `main thread's CPU of each at ${path}, ms`, each.toFixed(1));
    notes.demand(
      statuses.every((status) => status === 0 || status >= 400),
      `what is answered at ${path}`,
      statuses[0] ?? 0,
    );
    const tooLong = await post(target, path, nested(1_100_000));
    notes.demand(
      tooLong === 413 || tooLong === 401 || tooLong === 403 || tooLong === 404 || tooLong === 0,
      `2 MB at ${path}`,
      tooLong,
    );
  }
}

async function deepJson(target: Target, notes: Notes, cpu: MainCpu, key: string): Promise<void> {
  notes.act('JSON of depth 40 and 1 MB of nested JSON with a key');
  const deep = await post(target, '/api/feedback', `{"message":"deep","more":${nested(40)}}`, key);
  notes.demand(deep === 400 || deep === 422, 'depth 40 is answered', deep);
  const cpuMs = await cpu.msOf(async () => {
    for (let n = 0; n < REPEATS; n++) await post(target, '/api/feedback', `{"message":${NESTED}}`, key);
  });
  notes.demand(
    cpuMs / REPEATS < MAX_CPU_MS,
    "main thread's CPU of 1 MB with a key, ms",
    (cpuMs / REPEATS).toFixed(1),
  );
}

/** The status; 0: the gateway closed the connection while it was sent. */
async function post({ baseUrl }: Target, path: string, body: string, key?: string): Promise<number> {
  const headers = { 'Content-Type': 'application/json', ...(key && { 'X-API-Key': key }) };
  try {
    const answer = await fetch(`${baseUrl}${path}`, { method: 'POST', headers, body });
    await answer.arrayBuffer();
    return answer.status;
  } catch {
    return 0;
  }
}

function nested(depth: number): string {
  return '['.repeat(depth) + ']'.repeat(depth);
}
