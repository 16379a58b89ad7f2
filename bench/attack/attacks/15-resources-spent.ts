import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Gateway } from '../../../test/support/gateway.ts';
import { cpuSeconds } from '../../process-usage.ts';
import type { Attack } from '../attack.ts';
import type { Notes } from '../notes.ts';
import { RawConnection } from '../raw-connection.ts';

const NUMBER = 15;
const DESCRIPTORS = 200;
const CONNECTIONS = 400;
/** More than the free space that the gateway needs to write again. */
const DISK_MB = 96;
const MAX_CORES = 0.4;
const READY = 'GET /readyz HTTP/1.1\r\nHost: a\r\n\r\n';

/** Descriptors and disk spent; on gateways of their own, for the live call's must not be the one that starves. */
export const resourcesSpent: Attack = {
  number: NUMBER,
  name: 'descriptors and disk spent',
  async run(_, notes) {
    await descriptorsSpent(notes);
    await diskFull(notes);
  },
};

async function descriptorsSpent(notes: Notes): Promise<void> {
  notes.act(`${CONNECTIONS} connections to a gateway that may have ${DESCRIPTORS} descriptors`);
  const gateway = await Gateway.start({ prefix: ['prlimit', `--nofile=${DESCRIPTORS}:${DESCRIPTORS}`] });
  try {
    const health = await RawConnection.open(gateway.httpPort);
    const crowd = await crowdOf(gateway.httpPort);
    await demandUnready(gateway, health, { what: 'descriptors', word: /descriptor|EMFILE/i }, notes);
    await demandCalm(gateway, notes, 'without descriptors');
    for (const each of crowd) each.destroy();
    const isBack = await readySoon(gateway);
    notes.demand(isBack, 'ready again when they are free', isBack ? 'yes' : 'no');
  } finally {
    await gateway.stop();
  }
}

async function diskFull(notes: Notes): Promise<void> {
  const disk = smallDisk();
  if (disk === null) {
    notes.see('a full disk was not tried: only root can mount a small one here');
    return;
  }
  notes.act(`a disk of ${DISK_MB} MB that fills up`);
  try {
    const gateway = await Gateway.start({ env: { SVC_DATA_DIR: disk } });
    try {
      const health = await RawConnection.open(gateway.httpPort);
      const filler = join(disk, 'filler');
      fill(disk, filler);
      for (let n = 0; n < 10; n++)
        await gateway.settingsApi.post('/api/agents', { name: `Agent ${n} ${'x'.repeat(60)}` });
      await demandUnready(gateway, health, { what: 'disk', word: /disk|space|ENOSPC|SQLITE_FULL/i }, notes);
      await demandCalm(gateway, notes, 'without disk');
      rmSync(filler);
      const isBack = await readySoon(gateway);
      notes.demand(isBack, 'ready again when there is room', isBack ? 'yes' : 'no');
      const made = await gateway.settingsApi.post('/api/agents', { name: 'afterwards' });
      notes.demand(made.status < 300, 'writing works then', made.status);
    } finally {
      await gateway.stop();
    }
  } finally {
    execFileSync('umount', [disk]);
    rmSync(disk, { recursive: true });
  }
}

/** Checks over an existing connection, because new ones are not accepted now. */
async function demandUnready(
  gateway: Gateway,
  health: RawConnection,
  { what, word }: { readonly what: string; readonly word: RegExp },
  notes: Notes,
): Promise<void> {
  let seen = '';
  for (let waited = 0; waited < 12; waited++) {
    const from = health.text.length;
    health.send(READY);
    await pause(1_000);
    seen = health.text.slice(from);
    if (seen.startsWith('HTTP/1.1 503')) break;
  }
  const isTold = seen.startsWith('HTTP/1.1 503') && word.test(seen.slice(seen.indexOf('\r\n\r\n')));
  notes.demand(isTold, `/readyz with the ${what} spent`, seen === '' ? 'no answer' : inOneLine(seen));
  notes.demand(
    word.test(gateway.output),
    `the log tells of the ${what}`,
    word.test(gateway.output) ? 'yes' : 'no',
  );
  notes.demand(gateway.running, 'the gateway runs', gateway.running ? 'yes' : gateway.output.slice(-200));
}

async function demandCalm(gateway: Gateway, notes: Notes, when: string): Promise<void> {
  const before = cpuSeconds(gateway.pid);
  await pause(2_000);
  const cores = (cpuSeconds(gateway.pid) - before) / 2;
  notes.demand(cores < MAX_CORES, `cores ${when}`, cores.toFixed(2));
}

async function readySoon(gateway: Gateway): Promise<boolean> {
  for (let waited = 0; waited < 50; waited++) {
    const answer = await gateway
      .api(null)
      .get('/readyz')
      .catch(() => null);
    if (answer?.status === 200) return true;
    await pause(500);
  }
  return false;
}

/** Connections beyond the limit wait in the kernel and are not refused. */
async function crowdOf(port: number): Promise<RawConnection[]> {
  const opened = await Promise.allSettled(
    Array.from({ length: CONNECTIONS }, () => RawConnection.open(port)),
  );
  return opened.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
}

/** Mounts a small disk; null if this user may not mount. */
function smallDisk(): string | null {
  const folder = mkdtempSync(join(tmpdir(), 'small-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MB}m`, 'tmpfs', folder], { stdio: 'ignore' });
    return folder;
  } catch {
    rmSync(folder, { recursive: true });
    return null;
  }
}

function fill(disk: string, path: string): void {
  const { bavail, bsize } = statfsSync(disk);
  writeFileSync(path, Buffer.alloc(bavail * bsize));
}

function inOneLine(answer: string): string {
  return `${answer.slice(9, 12)} ${answer.slice(answer.indexOf('\r\n\r\n') + 4)}`.slice(0, 200);
}
