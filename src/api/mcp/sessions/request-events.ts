import type { EventStore, JSONRPCMessage } from '@modelcontextprotocol/server';

/** Limits for all sessions together. */
const MAX_EVENTS = 20_000;
const MAX_CHARACTERS = 32 * 1_048_576;

interface KeptEvent {
  readonly sessionId: string;
  readonly streamId: string;
  readonly message: JSONRPCMessage;
  readonly length: number;
}

const PREFIX = 'call-';

/** Whether an event id belongs to the answer to a request; pushes have other ids. */
export function isRequestEvent(eventId: string): boolean {
  return eventId.startsWith(PREFIX);
}

/**
 * Answers sent in sessions, kept for clients whose connection was cut. The oldest are dropped first, whichever session they
 * belong to: a client reconnects within seconds.
 */
export class RequestEvents {
  readonly #events = new Map<number, KeptEvent>();
  #characters = 0;
  #last = 0;

  /** The store of one session. */
  of(sessionId: string): EventStore {
    return {
      storeEvent: async (streamId, message) => this.#store(sessionId, streamId, message),
      getStreamIdForEventId: async (eventId) => this.#find(sessionId, eventId)?.streamId,
      replayEventsAfter: async (eventId, { send }) => {
        const streamId = this.#find(sessionId, eventId)?.streamId ?? '';
        for (const [number, event] of this.#events)
          if (number > numberOf(eventId) && event.streamId === streamId && event.sessionId === sessionId)
            await send(idOf(number), event.message);
        return streamId;
      },
    };
  }

  #store(sessionId: string, streamId: string, message: JSONRPCMessage): string {
    const { length } = JSON.stringify(message);
    this.#last += 1;
    this.#events.set(this.#last, { sessionId, streamId, message, length });
    this.#characters += length;
    for (const [number, event] of this.#events) {
      if (this.#events.size <= MAX_EVENTS && this.#characters <= MAX_CHARACTERS) break;
      this.#events.delete(number);
      this.#characters -= event.length;
    }
    return idOf(this.#last);
  }

  #find(sessionId: string, eventId: string): KeptEvent | undefined {
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
