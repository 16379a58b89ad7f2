import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** What a process holds of the system. */
export interface Holdings {
  readonly descriptors: number;
  readonly udpSockets: number;
}

export function holdingsOf(pid: number): Holdings {
  const targets = targetsOf(pid);
  const udp = new Set(udpRows(pid).map(({ inode }) => `socket:[${inode}]`));
  const udpSockets = targets.filter((target) => udp.has(target)).length;
  return { descriptors: targets.length, udpSockets };
}

/** The local ports of its UDP sockets. */
export function udpPortsOf(pid: number): number[] {
  const own = new Set(targetsOf(pid));
  return udpRows(pid)
    .filter(({ inode }) => own.has(`socket:[${inode}]`))
    .map(({ port }) => port);
}

function targetsOf(pid: number): string[] {
  return readdirSync(`/proc/${pid}/fd`).flatMap((descriptor) => {
    try {
      return [readlinkSync(`/proc/${pid}/fd/${descriptor}`)];
    } catch {
      return []; // closed since it was listed
    }
  });
}

/** Of the whole machine. */
function udpRows(pid: number): { inode: string; port: number }[] {
  return ['udp', 'udp6'].flatMap((name) =>
    readFileSync(`/proc/${pid}/net/${name}`, 'latin1')
      .split('\n')
      .slice(1)
      .map((line) => line.trim().split(/\s+/))
      .map(([, local = '', , , , , , , , inode = '']) => ({
        inode,
        port: Number.parseInt(local.slice(local.lastIndexOf(':') + 1), 16),
      })),
  );
}
