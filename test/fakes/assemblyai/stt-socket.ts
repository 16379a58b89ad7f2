import type { IncomingHttpHeaders } from 'node:http';
import { type Clock, systemClock } from '../../../src/base/time.ts';
import { SpeechSockets, type UpgradeRefusal, type VendorEnd } from '../speech-sockets.ts';
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
export class AssemblyAiStt extends SpeechSockets implements SessionHost {
  readonly key: string;
  readonly sessions: AssemblyAiSession[] = [];
  readonly parameters: AssemblyAiParameters[] = [];
  /** Faults of the next sessions, one each. Null: none. */
  readonly faults: (AssemblyAiFault | null)[] = [];
  /** Speakers of the next turns. */
  readonly speakers: string[] = [];
  /** Time between the raw and the formatted text of a turn. Null: the latter never comes. */
  formatDelayMs: number | null = 20;
  readonly clock: Clock;

  constructor(clock: Clock = systemClock, key = 'fakekeyofassemblyai0123456789abc') {
    super();
    this.clock = clock;
    this.key = key;
  }

  /** Ends a session with an error, as AssemblyAI does: a message, then a close frame with the same code. */
  refuse(end: VendorEnd, code: number, error: string): void {
    end.send({ type: 'Error', error_code: code, error });
    end.socket.close(code, Buffer.byteLength(error) > REASON_BYTES ? 'See Error message for details' : error);
  }

  /** As `refuse`, because of a mistake of the client. */
  offend(end: VendorEnd, code: number, error: string): void {
    this.offences.push(error);
    this.refuse(end, code, error);
  }

  protected matches(path: string): boolean {
    return path === '/v3/ws';
  }

  /** The key is only checked once the connection is open. */
  protected refusalOf(): UpgradeRefusal | null {
    const status = this.faults[0]?.status;
    if (status === undefined) return null;
    this.faults.shift();
    return { status, body: { error: 'The service is not available' } };
  }

  protected open(end: VendorEnd, { searchParams: query }: URL, headers: IncomingHttpHeaders): void {
    const fault = this.faults.shift() ?? {};
    if (headers.authorization === undefined) {
      return this.offend(end, 1008, 'Unauthorized Connection: Missing Authorization header');
    }
    // The key alone; a scheme would be part of it.
    if (headers.authorization !== this.key) {
      return this.refuse(end, 1008, `Unauthorized Connection: invalid API key ${headers.authorization}`);
    }
    const names = [...query.keys()];
    const { data, error } = Parameters.safeParse(Object.fromEntries(query));
    if (!data || new Set(names).size < names.length) {
      return this.offend(end, 3006, `Bad connection parameters: ${error?.message ?? names.join()}`);
    }
    const mistake = mistakeIn(data);
    if (mistake) return this.offend(end, 3006, mistake);
    this.parameters.push(data);
    if (fault.refusal) return this.refuse(end, fault.refusal.code, fault.refusal.error);
    if (!fault.hangs) this.sessions.push(new AssemblyAiSession(this, end, data));
  }
}
