import * as z from 'zod';
import { field, platformJson } from '../../../base/platform-json.ts';

/** What Slack sends over Socket Mode (https://docs.slack.dev/apis/events-api/using-socket-mode). */
const Payload = z.object({
  type: z.string(),
  envelope_id: field(z.string().min(1).max(200)),
  payload: z.unknown().optional(),
  reason: field(z.string()),
});

export type SocketPayload = z.output<typeof Payload>;

/** Returns null for what is no payload. */
export function readPayload(text: string): SocketPayload | null {
  return Payload.safeParse(platformJson(text)).data ?? null;
}

/** `apps.connections.open` */
export const OpenedSocket = z.object({ url: z.string().min(1) });
