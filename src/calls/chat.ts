import { GatewayError, MAY_HAVE_ARRIVED, sendFailed } from '../base/errors.ts';
import type { Capability } from '../base/platform.ts';
import type { AgentScope } from '../base/scope.ts';
import type { ChatOutcome } from '../connectors/contract/call-leg.ts';
import type { OutboundFile } from '../connectors/contract/messenger.ts';
import type { CallActor } from './call-actor.ts';
import { type CallDomain, liveCall } from './call-domain.ts';

/** A message to be written in a meeting's chat. */
export interface ChatDraft {
  /** Empty only with files. With files, it is the caption of the first one. */
  readonly text: string;
  /** Empty: the agent's name on the call. */
  readonly senderName: string;
  /** Gets the files, once it is certain that the call takes them. Null: none. */
  readonly files: (() => Promise<readonly OutboundFile[]>) | null;
}

/**
 * Writes in the meeting's chat. Resolves when the platform has accepted the message.
 * @throws GatewayError `call_not_found`, `capability_missing`, `call_not_active`, `platform_not_connected`,
 * `send_failed`, `too_many_messages`, `deadline_exceeded`, and the errors of the draft's files
 */
export async function sendChat(
  domain: CallDomain,
  scope: AgentScope,
  callId: string,
  draft: ChatDraft,
): Promise<void> {
  const call = liveCall(domain, scope, callId);
  const chat = offered(call, call.leg?.chat, 'write', 'chat');
  if (draft.files !== null) offered(call, chat, 'files', 'files in its chat');
  assertActive(call);
  chat.checkText(draft.text, draft.files !== null);
  const message = {
    text: draft.text,
    senderName: draft.senderName || call.identity.agentName,
    files: (await draft.files?.()) ?? [],
  };
  const outcome = await call.chatSender.send(async (signal) => {
    assertActive(call);
    return await chat.send(message, signal).catch((error: unknown) => unexpected(domain, call, error));
  });
  if (outcome.kind === 'refused') throw sendFailed(outcome.reason);
  if (outcome.kind === 'unknown') throw sendFailed(`${outcome.reason}; ${MAY_HAVE_ARRIVED}`);
}

/**
 * Shows a typing indicator in the meeting's chat.
 * @throws GatewayError `call_not_found`, `capability_missing`, `call_not_active`, `platform_not_connected`,
 * `deadline_exceeded`
 */
export async function showTyping(domain: CallDomain, scope: AgentScope, callId: string): Promise<void> {
  const call = liveCall(domain, scope, callId);
  const typing = offered(call, call.leg?.typing, 'typing', 'typing indicators');
  assertActive(call);
  await call.chatSender.showTyping((signal) => typing.showTyping(signal));
}

/** Returns the part of the leg, if the call offers it now. Throws `capability_missing`. */
function offered<Part>(call: CallActor, part: Part | undefined, capability: Capability, what: string): Part {
  if (part !== undefined && call.snapshot().capabilities.includes(capability)) return part;
  const detail = `The ${call.identity.platform} platform has no ${what} (capability '${capability}')`;
  throw new GatewayError('capability_missing', detail);
}

function assertActive({ state }: CallActor): void {
  if (state.name !== 'active') throw new GatewayError('call_not_active');
}

/** A leg should never throw anything but a GatewayError; the message may then have been sent. */
function unexpected({ events }: CallDomain, { identity }: CallActor, error: unknown): ChatOutcome {
  if (error instanceof GatewayError) throw error;
  events.legFailed(identity, error);
  return { kind: 'unknown', reason: 'an internal error' };
}
