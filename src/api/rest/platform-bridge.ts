import type { ListedBot } from '../../accounts/connections/installed-bots.ts';
import type { BridgeKey } from '../../accounts/keys/bridge-key.ts';
import { type Address, directAddress, loginOfKey } from '../../base/address.ts';
import { match } from '../../base/match.ts';
import { BRIDGED_CHAT_PLATFORM } from '../../base/platform.ts';
import type { InboundFile } from '../../connectors/contract/messenger.ts';
import type { BridgeEvent } from '../../messaging/platform-bridge/bridge-event.ts';
import { type ChatMessage, chat } from '../../messaging/platform-bridge/chat.ts';
import type { PlatformBridge } from '../../messaging/platform-bridge/platform-bridge.ts';
import { takeEvents } from '../../messaging/platform-bridge/take-events.ts';
import { reply } from '../http/answer/reply.ts';
import { keyIn } from '../http/routing/access.ts';
import { type Route, type RouteRequest, route } from '../http/routing/route.ts';
import {
  BRIDGE_VERSION,
  BridgeChatAnswer,
  BridgeChatBody,
  type BridgeEventBody,
  BridgeEventResults,
  BridgeEventsBody,
  TalkBots,
} from '../schema/platform-bridge.ts';

const BODY_LIMIT_BYTES = 1_048_576;
const KEY_FAILS = [
  {
    unauthorized: 'Wrong key',
    not_found: 'The operator has not set SVC_BRIDGE_KEY',
    too_many_attempts: 'Too many wrong keys came from this network',
  },
] as const;

export interface BridgeContext {
  readonly bridge: PlatformBridge;
  readonly key: BridgeKey;
  /** The bots that administrators have installed at their servers. */
  readonly listBots: () => Promise<readonly ListedBot[]>;
}

/** Routes for the platform bridge, a program of the operator that carries platforms outside of the gateway. */
export function platformBridgeRoutes({ bridge, key, listBots }: BridgeContext): Route[] {
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
      fails: [
        ...KEY_FAILS,
        { too_many_waiters: 'Too many requests of the bridge are under way' },
        'disk_full',
      ],
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
      description: 'Those of all accounts, with their secrets.',
      responses: { 200: { description: 'The bots', schema: TalkBots } },
      fails: [...KEY_FAILS],
      handler: async () => {
        const bots = (await listBots()).map(({ connectionId: login, server: url, secret }) => {
          return { login, url, secret };
        });
        return reply(200, { version: BRIDGE_VERSION, bots });
      },
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
        ...KEY_FAILS,
        {
          platform_not_configured: 'The gateway cannot carry later replies to this platform',
          connection_not_found: 'The sender has not connected an account of the platform',
          too_many_waiters: '500 requests wait already and nothing was stored',
        },
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

type Placed = Extract<BridgeEventBody, { readonly login: string }>;
type Dm = Extract<BridgeEventBody, { readonly type: 'dm' }>;

/** Returns an event of the bridge as the domain takes it. */
function bridgeEvent(body: BridgeEventBody, nowIso: string): BridgeEvent {
  const { platform } = body;
  if (body.type === 'call_ended') {
    const { type, call_ref: callRef, reason } = body;
    return { type, platform, callRef, reason };
  }
  const at = { platform, from: addressIn(body) };
  return match(body, 'type', {
    dm: (body) => ({ ...at, type: body.type, message: messageIn(body, nowIso) }),
    edit: (body) => ({ ...at, type: body.type, messageId: body.message_id, text: body.text }),
    delete: (body) => ({ ...at, type: body.type, messageId: body.message_id }),
    reachability: (body) => ({ ...at, type: body.type, isReachable: body.reachable }),
    link: (body) => ({ ...at, type: body.type, name: spaceName(body), token: body.token }),
    call_invite: ({ type, call_ref: callRef, person, target }) => ({
      ...at,
      type,
      callRef,
      target,
      caller: person.name || person.id,
    }),
  });
}

/** Returns a chat message of the bridge as the domain takes it. */
function chatMessage(
  { sender, message_id: platformMessageId, text, sent_at: sentAt }: BridgeChatBody,
  nowIso: string,
): ChatMessage {
  const id = sender.tenant_id ? `${sender.tenant_id}:${sender.id}` : sender.id;
  return {
    providerUserId: id.toLowerCase(),
    senderName: sender.name ?? null,
    platformMessageId,
    text,
    sentAt: earlier(sentAt, nowIso),
  };
}

function messageIn(body: Dm, nowIso: string) {
  const { message_id: platformMessageId, text, sent_at: sentAt, channel, person, attachments } = body;
  return {
    remoteName: spaceName(body),
    senderName: channel ? (person.name ?? null) : null,
    platformMessageId,
    text,
    sentAt: earlier(sentAt, nowIso),
    files: attachments.map(
      ({ name, mime, size, url }): InboundFile => ({ name, mime, sizeBytes: size ?? null, ref: url }),
    ),
  };
}

function addressIn({ login: loginKey, person, channel, thread }: Placed): Address {
  const login = loginOfKey(loginKey);
  const inThread = { thread: thread ?? null };
  // The schema requires a person where there is no channel.
  if (channel === undefined) return { ...directAddress(login, person!.id), ...inThread };
  return { login, space: { kind: 'channel', id: channel.id }, ...inThread, person: person?.id ?? null };
}

/** Name of the channel, or of the person of a direct conversation. */
function spaceName({ person, channel }: Pick<Placed, 'person' | 'channel'>): string | null {
  return (channel === undefined ? person?.name : channel.name) ?? null;
}

/** A bridge whose clock is ahead must not keep a conversation's window open. */
function earlier(sentAt: string | undefined, nowIso: string): string {
  const sentIso = sentAt === undefined ? nowIso : new Date(sentAt).toISOString();
  return sentIso < nowIso ? sentIso : nowIso;
}
