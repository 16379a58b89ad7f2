import type { LibOpus } from '../../audio/libopus.ts';
import { unreachable } from '../../base/assert.ts';
import type { Clock } from '../../base/time.ts';
import { type AgentAudioObserver, AgentLink } from '../../threads/agent-link.ts';
import type { PlayoutBudget } from '../../threads/playout-budget.ts';
import type { AgentBell } from '../../threads/protocol.ts';
import type { Socket, SocketHandler } from '../http/socket/socket.ts';
import { TEXT } from '../http/socket/socket-budget.ts';
import type { AudioBegins, FromAudio, ToAudio } from '../stream/audio-halves.ts';
import { ClientEvents } from '../stream/client-events.ts';
import type { ClientReadPosition } from '../stream/client-read-position.ts';
import { MAX_BUFFERED_BYTES, StreamAudio } from '../stream/stream-audio.ts';
import { parseStreamRequest } from '../stream/stream-request.ts';
import type { Accepted } from './asked-requests.ts';
import type { FromThread } from './thread-protocol.ts';
import type { WaitingAgents } from './waiting-agents.ts';

/** WebSocket close code (RFC 6455, section 7.4.1). */
const POLICY_VIOLATION = 1008;
/** Messages to the main thread that it has not taken yet: more than a client may have unanswered. */
const MAX_WAITING = 4_096;

/** What all streams of a thread share. */
export interface ThreadDeps {
  readonly clock: Clock;
  readonly bell: AgentBell;
  readonly agents: WaitingAgents;
  readonly playout: PlayoutBudget;
  readonly readPosition: ClientReadPosition;
  readonly opus: () => LibOpus;
  readonly opusStreamsOf: (callId: string) => Set<object>;
  readonly post: (message: FromThread) => void;
}

/** The half of a call WebSocket that carries the audio, on the thread of the connection. */
export class ThreadStream implements SocketHandler {
  readonly id: number;
  readonly accountId: string;
  readonly #begins: AudioBegins;
  readonly #deps: ThreadDeps;
  #socket: Socket | null = null;
  #events: ClientEvents | null = null;
  #audio: StreamAudio | null = null;
  #agent: AgentLink | null = null;
  #leaveSlot: () => void = () => {};
  readonly #forget: () => void;
  #waiting = 0;

  /** `forget` is called when the connection is closed. */
  constructor({ id, accountId, begins }: Accepted, deps: ThreadDeps, forget: () => void) {
    this.#forget = forget;
    this.id = id;
    this.accountId = accountId;
    this.#begins = begins;
    this.#deps = deps;
  }

  opened(socket: Socket): void {
    const { clock, readPosition, opus, opusStreamsOf, post } = this.#deps;
    const events = new ClientEvents(socket, (code) => this.#tell({ type: 'failed', code }));
    this.#socket = socket;
    this.#events = events;
    this.#audio = new StreamAudio({
      ...this.#begins,
      socket,
      events,
      readPosition,
      opus,
      opusStreams: opusStreamsOf(this.#begins.callId),
      nowMs: () => clock.monotonicMs(),
      join: (observer) => this.#join(observer),
    });
    for (const event of this.#begins.opening) events.send(event);
    post({ type: 'opened', id: this.id });
  }

  binary(bytes: ArrayBuffer): void {
    this.#audio?.binary(bytes);
  }

  text(text: string): void {
    try {
      const request = this.#audio?.take(parseStreamRequest(text)) ?? null;
      if (request !== null && this.#mayWait()) this.#deps.post({ type: 'text', id: this.id, text });
    } catch (error) {
      this.#events?.answerFault(error);
    }
  }

  pong(ping: number): void {
    this.#audio?.pong(ping);
  }

  drained(): void {}

  closed(code: number, reason: string): void {
    this.#socket = null;
    this.#events = null;
    this.#audio?.close();
    this.#audio = null;
    this.#leaveSlot();
    this.#forget();
    this.#deps.post({ type: 'closed', id: this.id, code, reason });
  }

  /** A message of the half on the main thread. */
  heard(message: ToAudio): void {
    switch (message.type) {
      case 'offer':
        return this.#audio?.offer(message.capabilities);
      case 'interim':
        return this.#interim(message.text);
      case 'placed':
        return this.#placed(message.slot);
      case 'marked':
        return this.#agent?.marked(message.markId);
      case 'held':
        return this.#agent?.held(message.isHeld, message.playedMs);
      case 'cleared':
        return this.#agent?.cleared(message.playedMs, message.droppedMs);
      default:
        return unreachable(message);
    }
  }

  /** The main thread has taken so many messages. */
  taken(count: number): void {
    this.#waiting -= count;
  }

  #join(observer: AgentAudioObserver): AgentLink {
    const { bell, playout } = this.#deps;
    const agent = new AgentLink(observer, playout.queueOf(this.accountId));
    this.#agent = agent;
    this.#tell({ type: 'join', uplink: agent.uplinkMemory, bell });
    return agent.sit({
      clear: (point) => this.#tell({ type: 'clear', point }),
      hold: (isHeld) => this.#tell({ type: 'hold', isHeld }),
      listen: (downlink) => this.#tell({ type: 'listen', downlink }),
      // The main thread learns of it by the end of the socket.
      leave: () => {},
    });
  }

  #placed(slot: number): void {
    if (this.#agent === null || this.#audio === null) return;
    this.#leaveSlot();
    this.#leaveSlot = this.#deps.agents.add(this.#agent, slot);
    // The call may have ticked before.
    this.#agent.doorbell();
  }

  #interim(text: string): void {
    if (this.#socket === null) return;
    if (this.#socket.bufferedBytes() <= MAX_BUFFERED_BYTES) this.#socket.sendText(text);
    else this.#tell({ type: 'interim_dropped' });
  }

  #tell(message: FromAudio): void {
    if (this.#mayWait()) this.#deps.post({ type: 'half', id: this.id, message });
  }

  #mayWait(): boolean {
    this.#waiting += 1;
    if (this.#waiting <= MAX_WAITING) return true;
    this.#socket?.close(POLICY_VIOLATION, TEXT.reason);
    return false;
  }
}
