import { unreachable } from '../../base/assert.ts';
import { type Address, directAddress } from '../../connectors/contract/address.ts';
import { loginOfKey } from '../../connectors/contract/login.ts';
import type { InboundFile } from '../../connectors/contract/messenger.ts';
import type { BridgeEvent } from '../../messaging/platform-bridge/bridge-event.ts';
import type { ChatMessage } from '../../messaging/platform-bridge/chat.ts';
import type { BridgeChatBody, BridgeEventBody } from '../schema/platform-bridge.ts';

type Placed = Extract<BridgeEventBody, { readonly login: string }>;
type Dm = Extract<BridgeEventBody, { readonly type: 'dm' }>;

/** Returns an event of the bridge as the domain takes it. */
export function bridgeEvent(body: BridgeEventBody, nowIso: string): BridgeEvent {
  const { platform } = body;
  if (body.type === 'call_ended') {
    const { type, call_ref: callRef, reason } = body;
    return { type, platform, callRef, reason };
  }
  const at = { platform, from: addressIn(body) };
  switch (body.type) {
    case 'dm':
      return { ...at, type: body.type, message: messageIn(body, nowIso) };
    case 'edit':
      return { ...at, type: body.type, messageId: body.message_id, text: body.text };
    case 'delete':
      return { ...at, type: body.type, messageId: body.message_id };
    case 'reachability':
      return { ...at, type: body.type, isReachable: body.reachable };
    case 'link':
      return { ...at, type: body.type, name: spaceName(body), token: body.token };
    case 'call_invite': {
      const { type, call_ref: callRef, person, target } = body;
      return { ...at, type, callRef, target, caller: person.name || person.id };
    }
    default:
      return unreachable(body);
  }
}

/** Returns a chat message of the bridge as the domain takes it. */
export function chatMessage(
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
