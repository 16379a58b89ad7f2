import { StunOverTurnProtocol, TcpTransport, TlsTransport, type Transport, TurnProtocol } from 'werift';
import { answeredWithin, systemClock } from '../base/time.ts';
import type { TurnServer } from './ice-servers.ts';
import { type Address, UdpSocket } from './udp-socket.ts';

const CONNECT_MS = 3_000;
/** For connecting and allocating; the library alone would take longer to give up. */
const ALLOCATE_MS = 5_000;
const LIFETIME_S = 600;
/** What a server of TCP or TLS may not have read when further packets are dropped: about a second of speech. */
const MAX_UNSENT_BYTES = 16_384;

type Stream = TcpTransport | TlsTransport;

/** What the library does not declare: the socket of a stream. */
interface StreamInternals {
  readonly stream: { readonly client: { readonly writableLength: number; destroy(): void } };
}

/** An address on a TURN server (RFC 8656) that relays UDP to and from us, over UDP, TCP or TLS. */
export interface TurnRelay {
  readonly protocol: StunOverTurnProtocol;
  readonly relayed: Address;
  /** Where the server sees us. */
  readonly mapped: Address;
}

/** Rejects when the server cannot be reached, refuses, or takes too long. */
export async function allocateRelay(server: TurnServer): Promise<TurnRelay> {
  const { host, port, username, password, transport } = server;
  const socket = await connect(server);
  const turn = new TurnProtocol([host, port], username, password, LIFETIME_S, socket as Transport);
  try {
    await answeredWithin(systemClock, ALLOCATE_MS, late, () => made(turn, socket));
  } catch (error) {
    turn.close().catch(() => undefined);
    throw error;
  }
  if (transport !== 'udp') boundUnsent(socket as Stream);
  return {
    protocol: new StunOverTurnProtocol(turn),
    relayed: turn.relayedAddress,
    mapped: turn.mappedAddress,
  };
}

function late(): Error {
  return new Error('the TURN server did not answer');
}

function made(turn: TurnProtocol, socket: UdpSocket | Stream): Promise<void> {
  const connected = turn.connectionMade();
  guard(socket);
  return connected;
}

function connect({ host, port, transport, serverName }: TurnServer): Promise<UdpSocket | Stream> {
  const timeout = { connectTimeoutMs: CONNECT_MS };
  if (transport === 'udp') return UdpSocket.bind();
  if (transport === 'tcp') return TcpTransport.init([host, port], timeout);
  return TlsTransport.init([host, port], serverName === undefined ? {} : { servername: serverName }, timeout);
}

/** What the library throws while it reads would be thrown by the socket, and end the thread. */
function guard(socket: UdpSocket | Stream): void {
  const read = socket.onData.bind(socket) as (data: Buffer, from: Address | undefined) => void;
  socket.onData = (data: Buffer, from: Address | undefined) => {
    try {
      read(data, from);
    } catch {
      // Of a stream there is no telling where the next message starts.
      if (!(socket instanceof UdpSocket)) (socket as unknown as StreamInternals).stream.client.destroy();
    }
  };
}

function boundUnsent(socket: Stream): void {
  const { send } = socket;
  const { client } = (socket as unknown as StreamInternals).stream;
  socket.send = async (data, to) => {
    if (client.writableLength <= MAX_UNSENT_BYTES) await send(data, to);
  };
}
