import { isIPv4 } from 'node:net';
import { networkInterfaces } from 'node:os';
import { Candidate, candidateFoundation, candidatePriority } from 'werift';

const MAX_CHARS = 512;
const TYPES: readonly string[] = ['host', 'srflx', 'relay'];
const PREFIX = 'candidate:';

/**
 * Reads a candidate of the other side. Null for one that is of no use: not UDP, not an IPv4 address (names of mDNS included),
 * or not a candidate at all. Only numeric addresses reach the sockets, which look names up otherwise.
 */
export function readCandidate(text: string): Candidate | null {
  if (text.length > MAX_CHARS || !text.startsWith(PREFIX)) return null;
  const [foundation = '', component, transport = '', priority, host = '', port, typ, type = ''] = text
    .slice(PREFIX.length)
    .trim()
    .split(/ +/);
  const isUsable =
    component === '1' &&
    transport.toLowerCase() === 'udp' &&
    isIPv4(host) &&
    isPort(Number(port)) &&
    typ === 'typ' &&
    TYPES.includes(type);
  if (!isUsable) return null;
  return new Candidate(foundation, 1, 'udp', Number(priority) >>> 0 || 1, host, Number(port), type);
}

/** Writes a candidate of our own. */
export function writeCandidate(candidate: Candidate): string {
  return `${PREFIX}${candidate.toSdp()}`;
}

/** A socket bound to all addresses, as reached by one of them. */
export function hostCandidate(host: string, port: number): Candidate {
  return new Candidate(
    candidateFoundation('host', 'udp', host),
    1,
    'udp',
    candidatePriority('host'),
    host,
    port,
    'host',
  );
}

/** A relay's address. `related`: where the relay sees us. */
export function relayCandidate(
  [host, port]: readonly [string, number],
  related: readonly [string, number],
): Candidate {
  const foundation = candidateFoundation('relay', 'udp', host);
  return new Candidate(foundation, 1, 'udp', candidatePriority('relay'), host, port, 'relay', ...related);
}

/** This machine's IPv4 addresses; loopback only where there is no other. */
export function localAddresses(): string[] {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  const ipv4 = all.filter(({ family }) => family === 'IPv4');
  const outside = ipv4.filter(({ internal }) => !internal);
  return (outside.length > 0 ? outside : ipv4).map(({ address }) => address);
}

function isPort(port: number): boolean {
  return Number.isInteger(port) && port > 0 && port <= 65_535;
}
