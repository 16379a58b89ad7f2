import type { AgentScope } from '../../base/scope.ts';
import { type BrowserCaller, type BrowserLeg, callFromBrowser } from '../../calls/browser-call.ts';
import type { CallDomain } from '../../calls/call-domain.ts';
import type { Socket, SocketHandler } from '../http/socket/socket.ts';
import type { AgentStream } from './open-streams.ts';

/** WebSocket close codes (RFC 6455, section 7.4.1). */
const NORMAL_CLOSURE = 1000;
const POLICY_VIOLATION = 1008;
const TRY_AGAIN_LATER = 1013;
/** With more unsent bytes than this, what the caller should hear is dropped: later it would be of no use. */
const MAX_BUFFERED_BYTES = 16 * 1024;

interface TalkDeps {
  readonly calls: CallDomain;
  readonly scope: AgentScope;
  readonly agentId: string;
  readonly sampleRateHz: number;
  /** Registers the open stream. The returned function removes it. */
  readonly enlist: (stream: TalkStream) => () => void;
}

/** A call between whoever opens this WebSocket and an agent. It carries their audio, and ends with the call. */
export class TalkStream implements SocketHandler, AgentStream, BrowserCaller {
  readonly #deps: TalkDeps;
  #socket: Socket | null = null;
  #leg: BrowserLeg | null = null;
  #leaveList: () => void = () => {};

  constructor(deps: TalkDeps) {
    this.#deps = deps;
  }

  get accountId(): string {
    return this.#deps.scope.accountId;
  }

  get agentId(): string {
    return this.#deps.agentId;
  }

  get sampleRateHz(): number {
    return this.#deps.sampleRateHz;
  }

  /** AgentStream: ends the call if its credential no longer acts for the agent. */
  follow(agentIds: readonly string[]): void {
    if (!agentIds.includes(this.agentId)) this.#socket?.close(POLICY_VIOLATION, 'the agent is out of reach');
  }

  opened(socket: Socket): void {
    this.#socket = socket;
    this.#leaveList = this.#deps.enlist(this);
    const [answer, leg] = callFromBrowser(this.#deps.calls, this);
    this.#leg = leg;
    if (answer !== 'ringing') socket.close(TRY_AGAIN_LATER, answer);
  }

  /** BrowserCaller. */
  rings(callId: string): void {
    this.#socket?.sendText(JSON.stringify({ type: 'ringing', call_id: callId }));
  }

  hears(pcm: Uint8Array): void {
    const socket = this.#socket;
    if (socket !== null && socket.bufferedBytes() < MAX_BUFFERED_BYTES) socket.sendBinary(pcm);
  }

  over(): void {
    this.#socket?.close(NORMAL_CLOSURE, 'the call is over');
  }

  binary(bytes: ArrayBuffer): void {
    if (bytes.byteLength % Int16Array.BYTES_PER_ELEMENT !== 0) return this.#socket?.faulted();
    this.#leg?.says(new Int16Array(bytes));
  }

  /** Ignored: callers have nothing to write. */
  text(): void {}

  pong(): void {}

  drained(): void {}

  closed(): void {
    this.#socket = null;
    this.#leaveList();
    this.#leg?.left();
  }
}
