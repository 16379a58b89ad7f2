import { isIPv4 } from 'node:net';
import { ICE_URL, type IceServer } from '../media/ice.ts';

/** How a TURN server is reached. It relays UDP either way. */
export type TurnTransport = 'udp' | 'tcp' | 'tls';

export interface TurnServer {
  readonly host: string;
  readonly port: number;
  readonly transport: TurnTransport;
  readonly username: string;
  readonly password: string;
  /** What its certificate is for, if not its address. */
  readonly serverName?: string;
}

export interface IceServers {
  /** Where a socket learns its public address. */
  readonly stun: readonly [host: string, port: number] | null;
  /** One for each transport, in the order in which they are tried: the cheapest for media first. */
  readonly turn: readonly TurnServer[];
}

const DEFAULT_PORT = { stun: 3478, turn: 3478, turns: 5349 } as const;
const TRANSPORTS: readonly TurnTransport[] = ['udp', 'tcp', 'tls'];

/**
 * Chooses from a platform's list. What it does not know it leaves out: `stuns:`, TURN over DTLS, servers without a password. Names as
 * well: the sockets would look them up, and go wherever that leads. Whoever passes a list on has found and checked its addresses.
 */
export function chooseIceServers(servers: readonly IceServer[]): IceServers {
  const known = servers.flatMap((server) => server.urls.flatMap((url) => readUrl(url, server)));
  const stun = known.find(({ scheme }) => scheme === 'stun');
  const turn = TRANSPORTS.flatMap(
    (wanted) => known.find(({ server }) => server?.transport === wanted)?.server ?? [],
  );
  return { stun: stun === undefined ? null : [stun.host, stun.port], turn };
}

interface KnownUrl {
  readonly scheme: keyof typeof DEFAULT_PORT;
  readonly host: string;
  readonly port: number;
  readonly server: TurnServer | null;
}

function readUrl(url: string, { username, credential, serverName }: IceServer): KnownUrl[] {
  const [, scheme, host = '', port, transport] = ICE_URL.exec(url) ?? [];
  if (scheme === undefined || !isIPv4(host)) return [];
  const known = scheme.toLowerCase() as KnownUrl['scheme'];
  const target = { host, port: port === undefined ? DEFAULT_PORT[known] : Number(port) };
  if (target.port < 1 || target.port > 65_535) return [];
  if (known === 'stun') return [{ scheme: known, ...target, server: null }];
  const over = turnTransport(known, transport?.toLowerCase());
  if (over === null || !username || !credential) return [];
  const login = { username, password: credential, ...(serverName && { serverName }) };
  return [{ scheme: known, ...target, server: { ...target, transport: over, ...login } }];
}

function turnTransport(scheme: KnownUrl['scheme'], transport: string | undefined): TurnTransport | null {
  if (scheme === 'turn') return transport === 'tcp' ? 'tcp' : 'udp';
  // RFC 7065 section 3.1: `turns:` is TLS unless it asks for UDP, which means DTLS.
  return transport === 'udp' ? null : 'tls';
}
