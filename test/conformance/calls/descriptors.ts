import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Number of open descriptors of a process, without the connections to its HTTP port, which clients keep. */
export function descriptorsOf(pid: number, httpPort: number): number {
  const http = new Set(connectionsTo(pid, httpPort));
  return targetsOf(pid).filter((target) => !http.has(target)).length;
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

function connectionsTo(pid: number, port: number): string[] {
  const local = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return readFileSync(`/proc/${pid}/net/tcp`, 'latin1')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields[1]?.endsWith(local))
    .map((fields) => `socket:[${fields[9]}]`);
}
