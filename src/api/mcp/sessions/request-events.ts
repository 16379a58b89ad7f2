import type { EventStore, JSONRPCMessage } from '@modelcontextprotocol/server';
import type { RpcId } from '../rpc-message.ts';

/** Limits for all sessions together. */
const MAX_EVENTS = 20_000;
const MAX_CHARACTERS = 32 * 1_048_576;

interface BufferedEvent {
  readonly sessionId: string;
  readonly streamId: string;
  /** Null: an answer was withheld here, and the stream is over. */
  readonly message: JSONRPCMessage | null;
  readonly length: number;
}

const PREFIX = 'call-';
const WITHHELD = `${PREFIX}withheld-`;
/** The start of a withheld message as sent by the SDK. */
const WITHHELD_FRAME = Buffer.from(`event: message\nid: ${WITHHELD}`);

/** Whether an event id belongs to the answer to a request; pushes have other ids. */
export function isRequestEvent(eventId: string): boolean {
  return eventId.startsWith(PREFIX);
}

/** Whether a piece of the SDK's stream is a withheld message. The SDK sends each message in one piece. */
export function isWithheld(piece: Uint8Array): boolean {
  return WITHHELD_FRAME.equals(piece.subarray(0, WITHHELD_FRAME.length));
}

/**
 * Keeps the answers sent in sessions for clients that lose their connection. The oldest answers of all sessions are
 * dropped first, because clients reconnect within seconds.
 */
export class RequestEvents {
  readonly #events = new Map<number, BufferedEvent>();
  #characters = 0;
  #last = 0;

  /** The store of one session. `takeWithheld`: whether the answer to a request is withheld, asked once. */
  of(sessionId: string, takeWithheld: (id: RpcId) => boolean): EventStore {
    return {
      storeEvent: async (streamId, message) => {
        const isAnswer = 'result' in message || 'error' in message;
        const isKept = !(isAnswer && message.id !== undefined && takeWithheld(message.id));
        return this.#store({ sessionId, streamId, message: isKept ? message : null });
      },
      getStreamIdForEventId: async (eventId) => this.#find(sessionId, eventId)?.streamId,
      replayEventsAfter: async (eventId, { send }) => {
        const streamId = this.#find(sessionId, eventId)?.streamId ?? '';
        for (const [number, event] of this.#events)
          if (number > numberOf(eventId) && event.streamId === streamId && event.sessionId === sessionId)
            if (event.message !== null) await send(idOf(number), event.message);
        return streamId;
      },
    };
  }

  /** Whether the stream with this event ended without its answer, so that there is nothing to resume. */
  isOver(sessionId: string, eventId: string): boolean {
    const streamId = this.#find(sessionId, eventId)?.streamId;
    if (streamId === undefined) return false;
    for (const event of this.#events.values())
      if (event.message === null && event.streamId === streamId && event.sessionId === sessionId) return true;
    return false;
  }

  #store(event: Omit<BufferedEvent, 'length'>): string {
    const { length } = JSON.stringify(event.message);
    this.#last += 1;
    this.#events.set(this.#last, { ...event, length });
    this.#characters += length;
    for (const [number, oldest] of this.#events) {
      if (this.#events.size <= MAX_EVENTS && this.#characters <= MAX_CHARACTERS) break;
      this.#events.delete(number);
      this.#characters -= oldest.length;
    }
    return event.message === null ? `${WITHHELD}${this.#last}` : idOf(this.#last);
  }

  #find(sessionId: string, eventId: string): BufferedEvent | undefined {
    const event = this.#events.get(numberOf(eventId));
    return event?.sessionId === sessionId ? event : undefined;
  }
}

function idOf(number: number): string {
  return `${PREFIX}${number}`;
}

function numberOf(eventId: string): number {
  return Number(eventId.slice(PREFIX.length));
}
