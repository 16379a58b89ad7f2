import { randomBytes } from 'node:crypto';
import {
  type Candidate,
  CandidatePairState,
  Connection,
  classes,
  parseMessage,
  type StunOverTurnProtocol,
  StunProtocol,
  serverReflexiveCandidate,
} from 'werift';
import { wallMs } from '../base/wall-ms.ts';
import {
  hostCandidate,
  localAddresses,
  readCandidate,
  relayCandidate,
  writeCandidate,
} from './ice-candidates.ts';
import type { IceServers, TurnServer } from './ice-servers.ts';
import { allocateRelay, type TurnRelay } from './turn-relay.ts';
import { type Address, UdpSocket } from './udp-socket.ts';

/** A server that is asked over the next transport when the former one has not answered by then. */
const NEXT_TURN_AFTER_MS = 1_000;
/** Nothing at all from the other side: two of our checks, which are sent every 5 s, have had no answer. */
const SILENT_AFTER_MS = 12_000;
const LOOK_EVERY_MS = 1_000;
const MAX_REMOTE_CANDIDATES = 32;
const MAX_SOURCES = 16;

/** What the library does not declare. */
interface ConnectionInternals {
  readonly protocols: (StunProtocol | StunOverTurnProtocol)[];
  ensureProtocol(protocol: StunProtocol | StunOverTurnProtocol): void;
  pairLocalProtocol(protocol: StunProtocol | StunOverTurnProtocol): void;
}
/** Gives the library what a socket has received. */
type Read = (data: Buffer, from: Address) => void;

interface SocketInternals {
  datagramReceived(data: Buffer, from: Address): void;
}
interface RelayInternals {
  handleStunMessage: (data: Buffer, from: Address) => void;
}

export interface IceAgentObserver {
  /** A candidate of ours, as an SDP attribute without `a=`. */
  candidate(candidate: string): void;
  /** A packet of the other side that is not STUN. */
  packet(bytes: Buffer, arrivalMs: number): void;
  /** The other side does not answer any more. */
  silent(): void;
}

export interface IceCredentials {
  readonly usernameFragment: string;
  readonly password: string;
}

export interface IceAgentDeps {
  readonly isControlling: boolean;
  readonly servers: IceServers;
  /** All media goes through TURN servers. */
  readonly relayOnly: boolean;
  readonly observer: IceAgentObserver;
}

/**
 * Finds a path to one peer and keeps it open (RFC 8445, RFC 7675): the library's checks on a socket of our own, which lets in
 * only requests that are signed with our password, and other packets only from addresses that have shown to be the peer's.
 */
export class IceAgent {
  readonly local: IceCredentials = {
    usernameFragment: randomBytes(6).toString('base64'),
    password: randomBytes(18).toString('base64'),
  };
  readonly #connection: Connection;
  readonly #socket: UdpSocket | null;
  readonly #deps: IceAgentDeps;
  readonly #password: Buffer;
  /** Addresses from which signed requests have come. */
  readonly #sources = new Set<string>();
  /** Where the last packet came from; most come from there again. */
  #host = '';
  #port = 0;
  #heardMs = wallMs();
  #timer: NodeJS.Timeout | null = null;
  #isClosed = false;

  private constructor(deps: IceAgentDeps, socket: UdpSocket | null) {
    this.#deps = deps;
    this.#socket = socket;
    this.#connection = new Connection(deps.isControlling, { useIpv6: false });
    // Otherwise it would ask a public one.
    delete this.#connection.stunServer;
    // Gathering is ours.
    this.#connection.localCandidatesEnd = true;
    // Its own have too few random bits (RFC 8445 section 5.3).
    const { usernameFragment, password } = this.local;
    this.#connection.localUsername = usernameFragment;
    this.#connection.localPassword = password;
    this.#connection.userHistory[usernameFragment] = password;
    this.#password = Buffer.from(this.local.password);
  }

  /** Rejects when there is no socket to be had. */
  static async open(deps: IceAgentDeps): Promise<IceAgent> {
    return new IceAgent(deps, deps.relayOnly ? null : await UdpSocket.bind());
  }

  /** Looks for our candidates. Those of this machine are told before it returns. */
  gather(): void {
    if (this.#socket !== null) this.#useSocket(this.#socket);
    void this.#useRelay(this.#deps.servers.turn);
  }

  setRemote({ usernameFragment, password }: IceCredentials, isLite: boolean): void {
    this.#connection.setRemoteParams({ iceLite: isLite, usernameFragment, password });
  }

  /** Adds a candidate of the other side. The end of them is not told to the library, which would stop looking. */
  add(text: string): void {
    if (this.#isClosed || this.#connection.remoteCandidates.length >= MAX_REMOTE_CANDIDATES) return;
    const candidate = readCandidate(text);
    if (candidate !== null) this.#connection.addRemoteCandidate(candidate).catch(() => undefined);
  }

  /** Resolves when a path is found, and rejects or does nothing when the agent is closed before. */
  async connect(): Promise<void> {
    await this.#connection.connect();
    this.#heardMs = wallMs();
    this.#timer = setInterval(() => {
      if (wallMs() - this.#heardMs > SILENT_AFTER_MS) this.#deps.observer.silent();
    }, LOOK_EVERY_MS);
  }

  /** Sends a packet on the path, if there is one. `bytes` belong to the socket from then on. */
  send(bytes: Buffer): void {
    const { nominated } = this.#connection;
    if (nominated === undefined) return;
    const { protocol, remoteAddr } = nominated;
    if (protocol instanceof StunProtocol) void this.#socket?.send(bytes, remoteAddr);
    else protocol.sendData(bytes, remoteAddr).catch(() => undefined);
  }

  /** Safe to call twice. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#connection.close().catch(() => undefined);
    void this.#socket?.close();
  }

  get #internals(): ConnectionInternals {
    return this.#connection as unknown as ConnectionInternals;
  }

  #useSocket(socket: UdpSocket): void {
    const protocol = new StunProtocol();
    protocol.transport = socket as unknown as StunProtocol['transport'];
    const reader = protocol as unknown as SocketInternals;
    const read: Read = (data, from) => reader.datagramReceived(data, from);
    socket.onData = (data, from) => this.#take(data, from, read);
    const candidates = localAddresses().map((host) => hostCandidate(host, socket.port));
    const [first] = candidates;
    if (first === undefined) return;
    this.#internals.ensureProtocol(protocol);
    this.#adopt(protocol, first);
    for (const candidate of candidates) this.#tell(candidate);
    const { stun } = this.#deps.servers;
    if (stun === null) return;
    serverReflexiveCandidate(protocol, stun)
      .then((candidate) => candidate !== undefined && this.#tell(candidate))
      .catch(() => undefined);
  }

  /** Allocates with the first server, and with the next one when that fails or takes long. */
  async #useRelay([server, ...others]: readonly TurnServer[]): Promise<void> {
    if (server === undefined || this.#isClosed) return;
    let goOn = (): void => {
      goOn = () => undefined;
      void this.#useRelay(others);
    };
    const timer = setTimeout(() => goOn(), NEXT_TURN_AFTER_MS);
    try {
      this.#adoptRelay(await allocateRelay(server));
    } catch {
      goOn();
    } finally {
      clearTimeout(timer);
    }
  }

  #adoptRelay({ protocol, relayed, mapped }: TurnRelay): void {
    if (this.#isClosed) return void protocol.close().catch(() => undefined);
    const relay = protocol as unknown as RelayInternals;
    const read = relay.handleStunMessage;
    relay.handleStunMessage = (data, from) => this.#take(data, from, read);
    this.#internals.ensureProtocol(protocol);
    const candidate = relayCandidate(relayed, mapped);
    this.#adopt(protocol, candidate);
    this.#tell(candidate);
  }

  #adopt(protocol: StunProtocol | StunOverTurnProtocol, candidate: Candidate): void {
    protocol.localCandidate = candidate;
    this.#internals.protocols.push(protocol);
    this.#internals.pairLocalProtocol(protocol);
  }

  #tell(candidate: Candidate): void {
    if (!this.#isClosed) this.#deps.observer.candidate(writeCandidate(candidate));
  }

  /** Takes what a socket has received, from whomever. RFC 7983: the first byte tells what it is. */
  #take(data: Buffer, from: Address, read: Read): void {
    try {
      const isStun = data.length > 0 && data[0]! < 4;
      if (isStun) this.#takeStun(data, from, read);
      else if (this.#isPeer(from)) {
        this.#heardMs = wallMs();
        this.#deps.observer.packet(data, this.#heardMs);
      }
    } catch {
      // Whatever a stranger sends may not end the thread.
    }
  }

  #takeStun(data: Buffer, from: Address, read: Read): void {
    const message = parseMessage(data);
    if (message?.messageClass === classes.REQUEST) {
      // The library answers without looking at the signature.
      if (parseMessage(data, this.#password) === undefined) return;
      if (this.#sources.size < MAX_SOURCES) this.#sources.add(`${from[0]}:${from[1]}`);
    }
    if (this.#isPeer(from)) this.#heardMs = wallMs();
    read(data, from);
  }

  #isPeer([host, port]: Address): boolean {
    if (port === this.#port && host === this.#host) return true;
    const isKnown =
      this.#sources.has(`${host}:${port}`) ||
      this.#connection.checkList.some(
        ({ state, remoteAddr }) =>
          state === CandidatePairState.SUCCEEDED && remoteAddr[0] === host && remoteAddr[1] === port,
      );
    if (!isKnown) return false;
    this.#host = host;
    this.#port = port;
    return true;
  }
}
