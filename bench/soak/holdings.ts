import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** What a process holds of the system. */
export interface Holdings {
  readonly descriptors: number;
  readonly udpSockets: number;
}

export function holdingsOf(pid: number): Holdings {
  const targets = readdirSync(`/proc/${pid}/fd`).flatMap((descriptor) => {
    try {
      return [readlinkSync(`/proc/${pid}/fd/${descriptor}`)];
    } catch {
      return []; // closed since it was listed
    }
  });
  const udp = new Set(udpInodes(pid).map((inode) => `socket:[${inode}]`));
  const udpSockets = targets.filter((target) => udp.has(target)).length;
  return { descriptors: targets.length, udpSockets };
}

function udpInodes(pid: number): string[] {
  return ['udp', 'udp6'].flatMap((name) =>
    readFileSync(`/proc/${pid}/net/${name}`, 'latin1')
      .split('\n')
      .slice(1)
      .map((line) => line.trim().split(/\s+/)[9] ?? ''),
  );
}
