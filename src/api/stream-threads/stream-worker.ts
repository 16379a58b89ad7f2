import type { MessagePort } from 'node:worker_threads';
import type { LibOpus } from '../../audio/libopus.ts';
import { assert, unreachable } from '../../base/assert.ts';
import { ReadingTime } from '../../base/reading-time.ts';
import { systemClock } from '../../base/time.ts';
import { loadAccepting } from '../../native/acceptor.ts';
import { Doorbell } from '../../rings/doorbell.ts';
import { openLibOpus } from '../../rtp/codecs/open-libopus.ts';
import { PlayoutBudget } from '../../threads/playout-budget.ts';
import { toWireError } from '../../threads/protocol.ts';
import { Backlog } from '../http/answer/backlog.ts';
import type { Handshake } from '../http/server-library.ts';
import { OpenSocket } from '../http/socket/open-socket.ts';
import { SocketBudgets } from '../http/socket/socket-budget.ts';
import { loadUws } from '../http/uws/load-uws.ts';
import { type UwsHandlers, UwsLibrary } from '../http/uws/uws-library.ts';
import {
  CALL_PACE,
  CALL_STREAM_PATH,
  MAX_MESSAGE_BYTES,
  MAX_RECEIVED_BYTES,
} from '../stream/call-stream-limits.ts';
import { ClientReadPosition } from '../stream/client-read-position.ts';
import { type Accepted, AskedRequests, type WholeHead } from './asked-requests.ts';
import { ThreadFigures } from './thread-figures.ts';
import type { FromThread, StreamThreadOptions, ToThread } from './thread-protocol.ts';
import { type ThreadDeps, ThreadStream } from './thread-stream.ts';
import { WaitingAgents } from './waiting-agents.ts';

const BEAT_MS = 100;
const LINGER_MS = 100;

interface OpenStream {
  readonly stream: ThreadStream;
  readonly socket: OpenSocket;
}

/** A stream thread: the connections of call WebSockets, and the half of their handlers that carries the audio. */
export class StreamWorker {
  readonly #port: MessagePort;
  readonly #figures: ThreadFigures;
  readonly #library: UwsLibrary;
  readonly #asked: AskedRequests;
  readonly #backlog = new Backlog();
  readonly #budgets: SocketBudgets;
  readonly #bell = new Doorbell();
  readonly #agents = new WaitingAgents((error) => this.#fault(error));
  readonly #streams = new Map<number, OpenStream>();
  readonly #opusStreams = new Map<string, Set<object>>();
  readonly #deps: ThreadDeps;
  readonly #post = (message: FromThread): void => this.#port.postMessage(message);

  constructor(options: StreamThreadOptions, port: MessagePort) {
    this.#port = port;
    this.#figures = new ThreadFigures(options.figures);
    this.#asked = new AskedRequests(this.#post);
    this.#budgets = new SocketBudgets(systemClock, new ReadingTime(systemClock), (of) =>
      this.#post({ type: 'spent', of }),
    );
    this.#library = openLibrary(this.#handlers(), this.#backlog);
    const onFull = (): void => this.#post({ type: 'playout_full' });
    this.#deps = {
      clock: systemClock,
      bell: { id: options.id, memory: this.#bell.memory },
      agents: this.#agents,
      playout: new PlayoutBudget({ ...options.playout, onFull }),
      readPosition: new ClientReadPosition(systemClock),
      opus: openOpusOnce(options),
      opusStreamsOf: (callId) => this.#opusStreamsOf(callId),
      post: this.#post,
    };
  }

  start(): void {
    process.on('uncaughtException', (error) => this.#fault(error));
    this.#bell.listen((slots) => this.#agents.ticked(slots));
    this.#port.on('message', (message: ToThread) => this.#handle(message));
    setInterval(() => this.#beat(), BEAT_MS);
    this.#post({ type: 'ready' });
  }

  #handlers(): UwsHandlers {
    const ask = (kind: 'request' | 'refuse'): UwsHandlers['request'] => {
      return (head, responder) => void this.#asked.ask(kind, head as WholeHead, responder);
    };
    return {
      socketPaths: [{ path: CALL_STREAM_PATH, maxReceivedBytes: MAX_RECEIVED_BYTES }],
      // The main thread has admitted it.
      admitsConnection: () => true,
      request: ask('request'),
      refuse: ask('refuse'),
      handshake: async (head, responder) => {
        const accepted = await this.#asked.ask('handshake', head as WholeHead, responder);
        return accepted && this.#open(accepted);
      },
      opened: (socket, wire) => socket.attach(wire),
      closed: (socket, code, reason) => socket.detach(code, reason),
    };
  }

  #open(accepted: Accepted): Handshake {
    const { id, accountId, requestId } = accepted;
    const stream = new ThreadStream(accepted, this.#deps, () => this.#streams.delete(id));
    const socket = new OpenSocket({
      handler: stream,
      maxMessageBytes: MAX_MESSAGE_BYTES,
      budget: this.#budgets.open(accountId, CALL_PACE),
      backlog: this.#backlog,
      onError: (error) => this.#fault(error),
    });
    this.#streams.set(id, { stream, socket });
    return { socket, requestId };
  }

  #handle(message: ToThread): void {
    switch (message.type) {
      case 'connection':
        this.#post({ type: 'adopted', descriptor: message.descriptor });
        return this.#library.adopt(message.descriptor);
      case 'answered':
        return this.#asked.refuse(message);
      case 'accepted':
        if (!this.#asked.accept(message))
          this.#post({ type: 'closed', id: message.id, code: 1006, reason: '' });
        return;
      case 'text':
        this.#streams.get(message.id)?.socket.sendText(message.text);
        return;
      case 'half':
        return this.#streams.get(message.id)?.stream.heard(message.message);
      case 'taken':
        return this.#streams.get(message.id)?.stream.taken(message.count);
      case 'end':
        return this.#streams.get(message.id)?.socket.close(message.code, message.reason);
      case 'drop':
        this.#asked.drop(message.id);
        return this.#streams.get(message.id)?.socket.drop();
      case 'stop':
        return this.#stop();
      default:
        return unreachable(message);
    }
  }

  #opusStreamsOf(callId: string): Set<object> {
    const streams = this.#opusStreams.get(callId) ?? new Set<object>();
    this.#opusStreams.set(callId, streams);
    return streams;
  }

  #beat(): void {
    const { user, system } = process.threadCpuUsage();
    const cpuMs = (user + system) / 1_000;
    const { bytes: unreadBytes, droppedSlow, droppedFull } = this.#backlog;
    this.#figures.beat({ sockets: this.#streams.size, unreadBytes, droppedSlow, droppedFull, cpuMs });
    for (const [callId, streams] of this.#opusStreams)
      if (streams.size === 0) this.#opusStreams.delete(callId);
  }

  #fault(error: unknown): void {
    this.#post({ type: 'fault', error: toWireError(error) });
  }

  /** Clients still read the last close frames: what they have sent meanwhile would reset their connection. */
  #stop(): void {
    setTimeout(() => {
      this.#library.close();
      process.exit();
    }, LINGER_MS);
  }
}

function openLibrary(handlers: UwsHandlers, backlog: Backlog): UwsLibrary {
  const uws = loadUws();
  assert(typeof uws !== 'string', `uWebSockets.js cannot be loaded: ${uws}`);
  const accepting = loadAccepting();
  assert(typeof accepting !== 'string', `the acceptor cannot be loaded: ${accepting}`);
  accepting.closeAtEnd();
  return new UwsLibrary(uws, handlers, backlog);
}

function openOpusOnce({ mediaIo }: StreamThreadOptions): () => LibOpus {
  let opus: LibOpus | null = null;
  return () => {
    opus ??= openLibOpus(mediaIo === 'portable' ? 'portable' : 'native');
    return opus;
  };
}
