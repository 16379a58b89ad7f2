import { GatewayError } from '../base/errors.ts';
import { newId } from '../base/ids.ts';
import { PLATFORM_TRAITS, type Platform } from '../base/platform.ts';
import { type AgentScope, reaches } from '../base/scope.ts';
import type { Clock } from '../base/time.ts';
import type { CallLogin, Connector } from '../connectors/contract/connector.ts';
import type { InboundFile } from '../connectors/contract/messenger.ts';
import type { BusinessEvents } from '../telemetry/business-events.ts';
import type { Engine } from '../threads/engine.ts';
import type { PlayoutBudget } from '../threads/playout-budget.ts';
import type { Admission } from './admission.ts';
import { CallActor, type CallDeadlines } from './call-actor.ts';
import { type CallIdentity, type CallSnapshot, type CallStart, NOT_LIVE } from './call-event.ts';
import { CallMinutes, type MinuteBudget } from './call-minutes.ts';
import { CallPublisher, type HostedSpeech } from './call-publisher.ts';
import { type CallRecorder, terminationOf } from './call-recorder.ts';
import type { CallRegistry } from './call-registry.ts';
import type { CallRoom } from './call-room.ts';
import type { AgentLogins } from './choose-login.ts';
import type { VoicePresets } from './choose-presets.ts';
import type { InboundChatDeps, KeptChatFiles } from './inbound-chat.ts';
import { Transcript, type TranscriptPart } from './transcript.ts';
import type { AskTurnModel } from './turn-ends.ts';

/** Dependencies of the call operations, built once by the composition root. */
export interface CallDomain {
  readonly registry: CallRegistry;
  readonly connectors: ReadonlyMap<Platform, Connector>;
  readonly engine: Engine;
  readonly recorder: CallRecorder;
  readonly publisher: CallPublisher;
  readonly speech: HostedSpeech;
  readonly events: BusinessEvents;
  readonly clock: Clock;
  readonly deadlines: CallDeadlines;
  /** Memory for audio that is queued for playback. */
  readonly playout: PlayoutBudget;
  readonly maxCallsPerAccount: number;
  /** Of all accounts. */
  readonly room: CallRoom;
  readonly admission: Pick<Admission, 'problem'>;
  readonly budget: MinuteBudget;
  /** Null: no model tells whether somebody has said all. */
  readonly askTurn: AskTurnModel | null;
  readonly logins: AgentLogins;
  readonly presets: VoicePresets;
  /** Keeps the files of a chat message that a call's login received. */
  readonly keepChatFiles: (origin: ChatOrigin, files: readonly InboundFile[]) => Promise<KeptChatFiles>;
}

/** The account, platform and login that received a chat message. */
export interface ChatOrigin {
  readonly accountId: string;
  readonly platform: Platform;
  readonly login: CallLogin;
}

/** Completes the domain with the publisher, which tells its other parts of everything that happens on calls. */
export function callDomain(parts: Omit<CallDomain, 'publisher'>): CallDomain {
  const { budget, clock, events } = parts;
  const onFailure = (error: unknown): void => events.writeFailed('minutes of calls', error);
  const minutes = new CallMinutes({ budget, clock, onFailure });
  return { ...parts, publisher: new CallPublisher({ ...parts, minutes }) };
}

/** What is known of a call before it is opened. */
export type CallToOpen = Omit<CallIdentity, 'roomId' | 'participantId' | 'createdAt'>;

/** Creates a call's actor and its place in the engine, once it has its place in `room`. It is registered until it is over. */
export function openCall(domain: CallDomain, call: CallToOpen, start: CallStart): CallActor {
  const { clock, deadlines, playout, publisher, askTurn } = domain;
  const createdAt = clock.nowIso();
  const identity = { ...call, roomId: newId('room'), participantId: newId('part'), createdAt };
  const engineCall = domain.engine.place(identity.callId, {
    ended: (termination) => actor.post({ type: 'engine_ended', termination }),
    heard: (fact) => actor.answer?.heard(fact),
    turned: (turn) => actor.turnClock.measured(turn),
  });
  const chat = chatDeps(domain, identity, start.login);
  const deps = { engineCall, clock, deadlines, playout, publisher, chat, askTurn };
  const actor = new CallActor(identity, start, deps);
  actor.announce();
  return actor;
}

function chatDeps(
  { recorder, events, keepChatFiles }: CallDomain,
  { callId, accountId, platform }: CallIdentity,
  login: CallLogin,
): InboundChatDeps {
  return {
    keepFiles: (files) => keepChatFiles({ accountId, platform, login }, files),
    stored: () => recorder.written(callId),
    onDropped: () => events.queueFull('call_chat'),
    onFailure: (error) => events.writeFailed('files of a chat message', error),
  };
}

/** Whether another call may ring for the account. */
export function hasRoomToRing({ registry, maxCallsPerAccount }: CallDomain, accountId: string): boolean {
  return registry.accepts(accountId) && registry.countOf(accountId) < maxCallsPerAccount;
}

/** Whether the account may place or accept another call. Others that ring do not count, so callers cannot take its room. */
export function hasRoomToTalk({ registry, maxCallsPerAccount }: CallDomain, accountId: string): boolean {
  if (!registry.accepts(accountId)) return false;
  const taken = registry.listOf(accountId).filter(({ state }) => state.name !== 'ringing' || state.accepting);
  return taken.length < maxCallsPerAccount;
}

/** Returns the live call with this id, if the scope may see it. @throws GatewayError `call_not_found` */
export function liveCall(domain: CallDomain, scope: AgentScope, callId: string): CallActor {
  const actor = domain.registry.find(callId);
  if (!actor || !sees(scope, actor.identity)) throw new GatewayError('call_not_found');
  return actor;
}

/**
 * Returns a live call at once, or reads one that was refused, missed or disconnected from the database. Calls in state
 * `ended` are not found.
 * @throws GatewayError `call_not_found`
 */
export function getCall(
  domain: CallDomain,
  scope: AgentScope,
  callId: string,
): CallSnapshot | Promise<CallSnapshot> {
  const actor = domain.registry.find(callId);
  if (actor) return readable(scope, actor.snapshot());
  return pastCall(domain, callId).then((call) => readable(scope, call));
}

/** Returns the transcript after its first `since` lines: of a live call at once, of a past one from the database. */
export function transcriptOf(
  { registry, recorder }: CallDomain,
  callId: string,
  since: number,
): TranscriptPart | Promise<TranscriptPart> {
  const live = registry.find(callId)?.transcript.since(since);
  return live ?? recorder.transcript(callId).then((lines) => Transcript.restored(lines).since(since));
}

function readable(scope: AgentScope, call: CallSnapshot | null): CallSnapshot {
  if (!call || call.state === 'ended' || !sees(scope, call)) throw new GatewayError('call_not_found');
  return call;
}

/** Returns the scope's live calls, including ringing ones, oldest first. */
export function listCalls(domain: CallDomain, scope: AgentScope): CallSnapshot[] {
  return domain.registry
    .listOf(scope.accountId)
    .filter((actor) => sees(scope, actor.identity))
    .map((actor) => actor.snapshot());
}

/** Returns a stored call that is over; null when it is unknown or its agent was deleted. */
async function pastCall({ recorder }: CallDomain, callId: string): Promise<CallSnapshot | null> {
  const row = await recorder.find(callId);
  if (!row?.agentId) return null;
  // Calls were stored without their capabilities at first.
  const capabilities = row.capabilities ?? PLATFORM_TRAITS[row.platform].capabilities;
  return { ...row, ...NOT_LIVE, agentId: row.agentId, capabilities, termination: terminationOf(row) };
}

type SeenCall = Pick<CallSnapshot, 'accountId' | 'agentId' | 'platform'>;

/** Whether the scope may see a call. */
export function sees(scope: AgentScope, { accountId, agentId, platform }: SeenCall): boolean {
  return accountId === scope.accountId && scope.agentIds.includes(agentId) && reaches(scope, platform);
}
