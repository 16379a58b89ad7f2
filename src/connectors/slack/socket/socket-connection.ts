import * as z from 'zod';
import { field, platformJson } from '../../../base/platform-json.ts';
import { PlatformSocket, type PlatformSocketOptions } from '../../kit/platform-socket.ts';

/** What Slack sends over Socket Mode (https://docs.slack.dev/apis/events-api/using-socket-mode). */
const Payload = z.object({
  type: z.string(),
  envelope_id: field(z.string().min(1).max(200)),
  payload: z.unknown().optional(),
  reason: field(z.string()),
});

export type SocketPayload = z.output<typeof Payload>;

/** Returns null for what is no payload. */
function readPayload(text: string): SocketPayload | null {
  return Payload.safeParse(platformJson(text)).data ?? null;
}

/** `apps.connections.open` */
export const OpenedSocket = z.object({ url: z.string().min(1) });

const MAX_FRAME_BYTES = 4 * 1_024 * 1_024;
/** Slack pings every few seconds; our own pings show that the way back is open. */
const PING_INTERVAL_MS = 15_000;

export interface SocketObserver {
  /** Slack delivers from now on. */
  hello(): void;
  /** `acknowledge` tells Slack not to repeat it. */
  delivery(payload: SocketPayload, acknowledge: () => void): void;
  /** Slack will close this connection within seconds, and wants another one. */
  refresh(): void;
}

/** Opens one WebSocket of Socket Mode. What is not acknowledged over it comes again over the next one. */
export function openConnection(
  url: string,
  { clock, reader }: Pick<PlatformSocketOptions, 'clock' | 'reader'>,
  observer: SocketObserver,
): PlatformSocket {
  let isGreeted = false;
  const take = (text: string): void => {
    const payload = readPayload(text);
    if (payload === null) return socket.close('Slack sent what is no payload');
    const { type, envelope_id: envelopeId } = payload;
    if (type === 'disconnect') return observer.refresh();
    if (type !== 'hello')
      return observer.delivery(payload, () => {
        if (envelopeId !== undefined) socket.send({ envelope_id: envelopeId });
      });
    if (isGreeted) return;
    isGreeted = true;
    socket.keepBeating(PING_INTERVAL_MS, () => socket.ping());
    observer.hello();
  };
  const socket: PlatformSocket = new PlatformSocket({
    url,
    platform: 'Slack',
    maxFrameBytes: MAX_FRAME_BYTES,
    clock,
    reader,
    take,
    alive: () => socket.answered(),
  });
  return socket;
}
