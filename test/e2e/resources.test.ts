import { spawnSync } from 'node:child_process';
import { closeSync, copyFileSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { Gateway, type GatewayOptions } from '../support/gateway.ts';
import { readGatewayRows } from '../support/gateway-database.ts';
import { waitFor } from '../support/wait-for.ts';

const DESCRIPTORS = 200;
const TICKS_PER_SECOND = 100;
const SAMPLE_MS = 1_500;
const DISK_MB = 48;
/** A shell with mounts of its own, which no other process sees. */
const OWN_MOUNTS = ['unshare', '--mount', '--map-root-user', 'sh', '-c'] as const;

let gateway: Gateway | undefined;
const sockets: Socket[] = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await gateway?.stop();
  gateway = undefined;
});

async function start(options: GatewayOptions): Promise<Gateway> {
  gateway = await Gateway.start(options);
  return gateway;
}

/** CPU time that a process has used, in seconds (proc(5): utime and stime). */
function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** Which part of a core a process uses, over a while. */
async function load(pid: number): Promise<number> {
  const [before, startMs] = [cpuSeconds(pid), performance.now()];
  await new Promise((resolve) => setTimeout(resolve, SAMPLE_MS));
  return (cpuSeconds(pid) - before) / ((performance.now() - startMs) / 1000);
}

/** A connection that stays open, as monitors keep one. */
class Monitor {
  readonly #socket: Socket & { isClosed?: boolean };
  #received = '';

  constructor(port: number) {
    this.#socket = open(port);
    this.#socket.on('data', (data) => {
      this.#received += data.toString('latin1');
    });
  }

  /** The reasons why `/readyz` is not ready, by name; empty when it is ready. */
  async notReady(): Promise<Record<string, string>> {
    this.#received = '';
    this.#socket.write('GET /readyz HTTP/1.1\r\nHost: a\r\n\r\n');
    const [, status, body] = await waitFor('an answer', () => {
      if (this.#socket.isClosed) throw new Error('the connection was closed');
      return /^HTTP\/1.1 (\d+)[\s\S]*?\r\n\r\n(\{.*\})$/.exec(this.#received);
    });
    if (status === '200') return {};
    expect(status).toBe('503');
    const reasons: { name: string; reason: string }[] = JSON.parse(body!).not_ready;
    return Object.fromEntries(reasons.map(({ name, reason }) => [name, reason]));
  }
}

function canMount(): boolean {
  const [command, ...args] = [...OWN_MOUNTS, 'mount -t tmpfs tmpfs /mnt'];
  return spawnSync(command, args).status === 0;
}

/** Writes to a file until the disk takes no more. */
function fill(path: string): void {
  const file = openSync(path, 'w');
  try {
    for (let bytes = 1_048_576; bytes > 0; bytes = Math.floor(bytes / 2)) writeAll(file, bytes);
  } finally {
    closeSync(file);
  }
}

function writeAll(file: number, bytes: number): void {
  const piece = Buffer.alloc(bytes);
  try {
    for (;;) if (writeSync(file, piece) === 0) return;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
}

/** What SQLite finds in a copy of a database: it cannot open one in a folder that it does not see. */
function findingsIn(dataFolder: string): unknown[] {
  const copy = mkdtempSync(join(tmpdir(), 'copy-'));
  try {
    for (const name of ['gateway.db', 'gateway.db-wal'])
      copyFileSync(join(dataFolder, name), join(copy, name));
    return readGatewayRows(copy, 'pragma quick_check');
  } finally {
    rmSync(copy, { recursive: true });
  }
}

function linesWith(text: string): string[] {
  return gateway!.output.split('\n').filter((line) => line.includes(text));
}

/** A bare connection; `isClosed` tells whether the other side ended it. */
function open(port: number): Socket & { isClosed?: boolean } {
  const socket: Socket & { isClosed?: boolean } = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  socket.on('close', () => {
    socket.isClosed = true;
  });
  sockets.push(socket);
  return socket;
}

describe('a gateway that runs out of file descriptors', () => {
  it('keeps working at a low CPU load, and reports the shortage at /readyz', async () => {
    const limited = await start({
      prefix: ['sh', '-c', `ulimit -n ${DESCRIPTORS} && exec "$@"`, 'sh'],
      rtpPortCount: 16,
    });
    const monitor = new Monitor(limited.httpPort);
    expect(await monitor.notReady()).toEqual({});
    const quiet = await load(limited.pid);
    const flood = Array.from({ length: 3 * DESCRIPTORS }, () => open(limited.httpPort));
    await waitFor('the flood to be there', () => flood.every((socket) => !socket.connecting));
    expect(await load(limited.pid), `${quiet} of a core before`).toBeLessThan(quiet + 0.3);
    const { descriptors } = await monitor.notReady();
    expect(descriptors).toMatch(new RegExp(`^\\d+ of ${DESCRIPTORS} file descriptors are in use$`));
    expect(flood.filter(({ isClosed }) => isClosed).length).toBeGreaterThan(DESCRIPTORS);
    for (const socket of flood) socket.destroy();
    await waitFor('it to be ready', async () => Object.keys(await monitor.notReady()).length === 0);
    expect((await limited.agentApi.get('/api/calls')).status).toBe(200);
    expect(await limited.metric('svc_connections_refused_total')).toBeGreaterThan(DESCRIPTORS);
    expect(linesWith('file descriptors are running out')).toHaveLength(1);
    await waitFor('the line', () => linesWith('enough file descriptors are free again').length === 1);
  });
});

describe('a full disk', () => {
  it.skipIf(!canMount())(
    'fails only writes, is logged once, and accepts writes again when it has space',
    async () => {
      const small = await start({
        prefix: [
          ...OWN_MOUNTS,
          `mount -t tmpfs -o size=${DISK_MB}m tmpfs "$SVC_DATA_DIR" && exec "$@"`,
          'sh',
        ],
        rtpPortCount: 16,
      });
      const monitor = new Monitor(small.httpPort);
      expect(await monitor.notReady()).toEqual({});
      const quiet = await load(small.pid);
      const { id } = (await small.settingsApi.get('/api/agents')).body.agents[0];
      let texts = 0;
      const write = () => {
        const timeout_text = `${texts++} ${'x'.repeat(900)}`;
        return small.settingsApi.patch(`/api/agents/${id}`, { timeout_text });
      };
      expect((await write()).status).toBe(200);
      const filling = join(`/proc/${small.pid}/root`, small.dataFolder, 'filling');
      fill(filling);
      await waitFor('the gateway to say so', async () => (await monitor.notReady()).disk);
      expect((await monitor.notReady()).disk).toMatch(/^The disk is full: \d+ MB free$/);
      const refused = await waitFor('a write to be refused', async () => {
        const answer = await write();
        return answer.status !== 200 && answer;
      });
      expect([refused.status, refused.body]).toEqual([
        507,
        { detail: 'The disk is full', code: 'disk_full' },
      ]);
      for (let n = 0; n < 50; n++) expect((await write()).status).toBe(507);
      const bytes_b64 = Buffer.alloc(100_000).toString('base64');
      const upload = () =>
        small.agentApi.post('/api/files', { bytes_b64, name: 'a.bin', mime: 'application/x' });
      expect((await upload()).status).toBe(507);
      expect((await small.agentApi.get('/api/calls')).status).toBe(200);
      expect(await load(small.pid), `${quiet} of a core before`).toBeLessThan(quiet + 0.3);
      expect(linesWith('"level":"error"')).toHaveLength(1);
      expect(linesWith('the disk is full')).toHaveLength(1);

      rmSync(filling);
      await waitFor('it to be ready', async () => !(await monitor.notReady()).disk);
      expect((await write()).status).toBe(200);
      expect((await upload()).status).toBe(200);
      await waitFor('the line', () => linesWith('the disk accepts writes again').length === 1);
      expect(findingsIn(join(`/proc/${small.pid}/root`, small.dataFolder))).toEqual([{ quick_check: 'ok' }]);
    },
  );

  it('for the log does not stop the gateway', async () => {
    const silent = await start({ prefix: ['sh', '-c', 'exec "$@" >/dev/full', 'sh'], rtpPortCount: 16 });
    expect(await load(silent.pid)).toBeLessThan(0.5);
    expect((await silent.agentApi.get('/api/calls')).status).toBe(200);
    expect(await silent.stop()).toBe(0);
  });
});
