import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { type Clock, systemClock } from '../../../src/base/time.ts';
import type { VendorPart } from '../speech-host.ts';
import { refuse } from '../speech-host.ts';
import { VendorSockets } from '../vendor-sockets.ts';
import { type AssemblyAiParameters, mistakeIn, Parameters } from './stt-parameters.ts';
import { AssemblyAiSession, type SessionHost } from './stt-session.ts';

/** What happens to the next session. */
export interface AssemblyAiFault {
  /** Reported instead of `Begin`. */
  readonly refusal?: { readonly code: number; readonly error: string };
  /** The upgrade is answered with this status. */
  readonly status?: number;
  /** `Begin` never comes. */
  readonly hangs?: boolean;
}

const REASON_BYTES = 123;

/** AssemblyAI's streaming speech-to-text, `/v3/ws`, which understands tone speech. */
export class AssemblyAiStt implements VendorPart, SessionHost {
  readonly key: string;
  readonly sockets: VendorSockets;
  readonly sessions: AssemblyAiSession[] = [];
  readonly parameters: AssemblyAiParameters[] = [];
  /** Violations of the protocol: tests expect none. */
  readonly offences: string[] = [];
  /** Faults of the next sessions, one each. Null: none. */
  readonly faults: (AssemblyAiFault | null)[] = [];
  /** Speakers of the next turns. */
  readonly speakers: string[] = [];
  /** Time between the raw and the formatted text of a turn. Null: the latter never comes. */
  formatDelayMs: number | null = 20;
  readonly clock: Clock;

  constructor(clock: Clock = systemClock, key = 'fakekeyofassemblyai0123456789abc') {
    this.clock = clock;
    this.key = key;
    this.sockets = new VendorSockets(clock);
  }

  accept(request: IncomingMessage, stream: Duplex, head: Buffer): boolean {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://assemblyai');
    if (pathname !== '/v3/ws') return false;
    const fault = this.faults.shift() ?? {};
    if (fault.status) refuse(stream, fault.status, JSON.stringify({ error: 'The service is not available' }));
    else {
      this.sockets.accept(request, stream, head, (socket) =>
        this.#begin(socket, request, searchParams, fault),
      );
    }
    return true;
  }

  /** Ends a session with an error, as AssemblyAI does: a message, then a close frame with the same code. */
  refuse(socket: WebSocket, code: number, error: string): void {
    socket.send(JSON.stringify({ type: 'Error', error_code: code, error }));
    socket.close(code, Buffer.byteLength(error) > REASON_BYTES ? 'See Error message for details' : error);
  }

  /** As `refuse`, because of a mistake of the client. */
  offend(socket: WebSocket, code: number, error: string): void {
    this.offences.push(error);
    this.refuse(socket, code, error);
  }

  #begin(
    socket: WebSocket,
    { headers }: IncomingMessage,
    query: URLSearchParams,
    fault: AssemblyAiFault,
  ): void {
    if (headers.authorization === undefined) {
      return this.offend(socket, 1008, 'Unauthorized Connection: Missing Authorization header');
    }
    // The key alone; a scheme would be part of it.
    if (headers.authorization !== this.key) {
      return this.refuse(socket, 1008, `Unauthorized Connection: invalid API key ${headers.authorization}`);
    }
    const names = [...query.keys()];
    const { data, error } = Parameters.safeParse(Object.fromEntries(query));
    if (!data || new Set(names).size < names.length) {
      return this.offend(socket, 3006, `Bad connection parameters: ${error?.message ?? names.join()}`);
    }
    const mistake = mistakeIn(data);
    if (mistake) return this.offend(socket, 3006, mistake);
    this.parameters.push(data);
    if (fault.refusal) return this.refuse(socket, fault.refusal.code, fault.refusal.error);
    if (!fault.hangs) this.sessions.push(new AssemblyAiSession(this, socket, data));
  }
}
