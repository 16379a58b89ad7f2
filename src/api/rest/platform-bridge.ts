import type { BridgeKey } from '../../accounts/keys/bridge-key.ts';
import { BRIDGED_CHAT_PLATFORM } from '../../base/platform.ts';
import { chat } from '../../messaging/platform-bridge/chat.ts';
import type { PlatformBridge } from '../../messaging/platform-bridge/platform-bridge.ts';
import { takeEvents } from '../../messaging/platform-bridge/take-events.ts';
import { reply } from '../http/answer/reply.ts';
import { keyIn } from '../http/routing/access.ts';
import { type Route, type RouteRequest, route } from '../http/routing/route.ts';
import {
  BRIDGE_VERSION,
  BridgeChatAnswer,
  BridgeChatBody,
  BridgeEventResults,
  BridgeEventsBody,
  TalkBots,
} from '../schema/platform-bridge.ts';
import { bridgeEvent, chatMessage } from './bridge-wire.ts';

const BODY_LIMIT_BYTES = 1_048_576;

export interface BridgeContext {
  readonly bridge: PlatformBridge;
  readonly key: BridgeKey;
}

/** Routes for the platform bridge, a program of the operator that carries platforms outside of the gateway. */
export function platformBridgeRoutes({ bridge, key }: BridgeContext): Route[] {
  const common = {
    access: 'public',
    ownKey: 'Requires the key of the platform bridge.',
    tags: ['Platform bridge'],
    headers: ['x-api-key', 'authorization'],
    precheck: (request: RouteRequest<unknown>) => {
      key.admit(
        keyIn((name) => request.header(name)),
        request.address,
      );
      return null;
    },
  } as const;
  return [
    route({
      ...common,
      method: 'post',
      path: '/api/maquisard/event',
      operationId: 'takeBridgeEvents',
      summary: 'Tell the gateway what happened on platforms',
      description:
        'Events are applied in their order, and each is on disk before the answer. After any other answer than 200, send the same events again: the platform’s ids of messages and the bridge’s ids of calls make that harmless. Events of one conversation belong in one request at a time.',
      body: BridgeEventsBody,
      bodyLimitBytes: BODY_LIMIT_BYTES,
      responses: { 200: { description: 'What became of each event', schema: BridgeEventResults } },
      fails: ['unauthorized', 'not_found', 'too_many_waiters', 'too_many_attempts', 'disk_full'],
      handler: async ({ body }) => {
        const nowIso = bridge.clock.nowIso();
        const results = await takeEvents(
          bridge,
          body.events.map((event) => bridgeEvent(event, nowIso)),
        );
        return reply(200, { version: BRIDGE_VERSION, results });
      },
    }),
    route({
      ...common,
      method: 'get',
      path: '/api/maquisard/talk-bots',
      operationId: 'listTalkBots',
      summary: 'List the Nextcloud Talk bots to register when the bridge starts',
      description: 'Empty in this version, because the gateway keeps no such bots yet.',
      responses: { 200: { description: 'The bots', schema: TalkBots } },
      fails: ['unauthorized', 'not_found', 'too_many_attempts'],
      handler: () => reply(200, { version: BRIDGE_VERSION, bots: [] }),
    }),
    route({
      ...common,
      method: 'post',
      path: `/api/${BRIDGED_CHAT_PLATFORM}/chat`,
      operationId: 'takeBridgeChat',
      summary: 'Hand in a direct message and wait for the reply',
      description:
        'The message is stored, and the agent’s next message, if it comes within 10 s and has no files, is in the answer. Any later one is sent like every other message. One request of a conversation waits at a time; another one is answered at once, without a reply. If the bridge disconnects, the reply is sent.',
      body: BridgeChatBody,
      bodyLimitBytes: BODY_LIMIT_BYTES,
      responses: { 200: { description: 'Stored', schema: BridgeChatAnswer } },
      fails: [
        'platform_not_configured',
        'unauthorized',
        'not_found',
        'connection_not_found',
        'too_many_waiters',
        'too_many_attempts',
        'disk_full',
      ],
      handler: async ({ body, signal }) => {
        const message = chatMessage(body, bridge.clock.nowIso());
        const { status, reply: answer } = await chat(bridge, message, signal);
        const shown = answer && { message_id: answer.messageId, text: answer.text };
        return {
          ...reply(200, { version: BRIDGE_VERSION, status, reply: shown }),
          ended: answer?.ended,
        };
      },
    }),
  ];
}
