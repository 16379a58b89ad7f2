import { TimeLimit } from '../../base/time.ts';
import type {
  ModelClient,
  ModelMemory,
  ModelReply,
  ModelTurn,
  ModelUsage,
} from '../../models/model-client.ts';
import type { StoredProvider } from '../../store/agents/agent-providers.ts';
import type { DeliveryFailure } from '../../store/inline/deliveries.ts';
import { countAttempt } from '../../store/inline/delivery-turns.ts';
import { openModelConversation } from '../../store/inline/model-conversations.ts';
import type { ActionContext } from '../actions/action-context.ts';
import { withinPolicy } from '../actions/policy.ts';
import type { OutsideText, ReplyEnd, ScannedReply } from '../reply/action-builder.ts';
import { parseReply } from '../reply/reply-scanner.ts';
import { type Asking, askModel } from './ask-model.ts';
import { fittingActions } from './fitting-actions.ts';
import { LiveReply } from './live-reply.ts';
import { configHash } from './model-clients.ts';
import { placeOf, type Turn } from './open-turn.ts';
import { SpokenReply } from './spoken-reply.ts';
import { storeReply } from './stored-reply.ts';
import { requireBudget } from './turn-budget.ts';
import { TurnConversation } from './turn-conversation.ts';
import { deadlineOf, SPEECH_MS } from './turn-deadlines.ts';
import { failureOf, TurnEnded } from './turn-faults.ts';
import { historyOf, inputOf } from './turn-input.ts';

const MAX_OUTPUT_TOKENS = 4_096;
/** Minutes of speech. */
const MAX_SPOKEN_TOKENS = 1_024;
const NO_USAGE: ModelUsage = { inputTokens: null, outputTokens: null };

/** A turn that is to be answered. */
interface OpenTurn {
  readonly turn: Turn;
  readonly provider: StoredProvider;
  readonly context: ActionContext;
  /** Ends the turn: the agent or the call is gone, the gateway is closing, or somebody interrupts the agent. */
  readonly signal: AbortSignal;
  /** Sentences of the reply are spoken as they are complete. */
  readonly isSpoken: boolean;
}

/** A reply that is stored. */
interface Answer {
  readonly usage: ModelUsage;
  /** Nothing is left to be carried out, and the turn has ended. */
  readonly isDelivered: boolean;
}

/** Gets the model's reply to a turn and stores it with the actions it asks for, before any of them is carried out. */
export async function answer(open: OpenTurn): Promise<Answer> {
  const { turn, context, isSpoken } = open;
  const { clock } = context.domain;
  const limitMs = deadlineOf(turn.lead.eventType, isSpoken);
  const reason = new TurnEnded('timeout');
  const limit = new TimeLimit(clock, limitMs, { reason });
  const whole = new TimeLimit(clock, limitMs + SPEECH_MS, { reason });
  const signal = AbortSignal.any([limit.signal, whole.signal, open.signal]);
  const deadlineMs = clock.monotonicMs() + limitMs;
  // A caller waits for the decision, not for words.
  const begun = (): void => (turn.lead.eventType === 'call_invite' ? undefined : limit.lift());
  try {
    return await ask(open, { signal, deadlineMs, begun });
  } finally {
    limit.close();
    whole.close();
  }
}

interface Bounds {
  readonly signal: AbortSignal;
  readonly deadlineMs: number;
  /** The first sentence is complete. */
  readonly begun: () => void;
}

async function ask(open: OpenTurn, { signal, deadlineMs, begun }: Bounds): Promise<Answer> {
  const { turn, provider, context, isSpoken } = open;
  const { domain } = context;
  const { store, clock } = domain;
  const { accountId, agentId, lane } = turn.place;
  const place = { accountId, agentId, lane, configHash: configHash(provider) };
  const conversation = await openModelConversation(store.db, place, clock.nowIso());
  const input = await inputOf(context, turn, provider);
  const client = domain.clients.of(accountId, provider);
  const memory = new TurnConversation(domain, provider, conversation);
  const history = async () => await historyOf(store.db, conversation.id);
  const spoken = isSpoken ? new SpokenReply(context, signal, begun) : null;
  const live = isSpoken ? null : await LiveReply.begin(context, provider);
  const request: ModelTurn = {
    memory: memory.current,
    history: needsHistory(client, memory.current) ? await history() : [],
    instructions: input.instructions,
    text: input.text,
    marker: turn.lead.id,
    maxOutputTokens: isSpoken ? MAX_SPOKEN_TOKENS : MAX_OUTPUT_TOKENS,
    isSpoken,
    tools: await domain.toolsOf(accountId, agentId),
    signal,
  };
  const asking: Asking = {
    clock,
    client,
    memory,
    history,
    observer: {
      memoryChanged: (kept) => memory.keep(kept),
      text: (part) => {
        spoken?.push(part);
        live?.push(part);
      },
    },
    begin: async () => {
      spoken?.begin();
      live?.restart();
      await countAttemptOf(context, provider);
    },
    isVisible: () => spoken?.hasBegun ?? false,
    deadlineMs,
  };
  const asked = endingWith(askModel(asking, request, turn.lead.attempts > 0), live);
  const { reply, end, failure } = await outcomeOf(asked, spoken);
  // The provider may have all, a part or none of a turn that did not end.
  if (end === 'interrupted') memory.abandon();
  await memory.stored();
  await spoken?.spoken();
  const scanned = await withinPolicy(context, scannedReply(reply, isSpoken ? 'say' : 'write', end));
  const actions = fittingActions(domain.outbound, placeOf(turn), scanned.actions);
  const result = { input: input.kept, reply, scanned: { ...scanned, actions }, failure };
  const fate = await storeReply(domain, open, conversation, result);
  if (fate === 'gone') throw new TurnEnded('agent_gone');
  domain.guard.answered(turn.place);
  return { usage: reply.usage, isDelivered: fate === 'delivered' };
}

/** A long history takes a while to read, and most providers keep it. */
function needsHistory(client: ModelClient, memory: ModelMemory | null): boolean {
  return memory === null || client.needsHistory?.(memory) === true;
}

async function countAttemptOf(
  { domain, scope, turnId }: ActionContext,
  { provider }: StoredProvider,
): Promise<void> {
  requireBudget(domain, scope);
  if (!(await countAttempt(domain.store.db, turnId, provider))) throw new TurnEnded('agent_gone');
}

/** What is shown of a reply is no longer changed when it is known. */
async function endingWith(asked: Promise<ModelReply>, live: LiveReply | null): Promise<ModelReply> {
  try {
    return await asked;
  } finally {
    await live?.end();
  }
}

interface Outcome {
  readonly reply: ModelReply;
  readonly end: ReplyEnd;
  /** Why the reply is not complete. */
  readonly failure: DeliveryFailure | null;
}

/**
 * What was said stays said: a turn that fails after its first sentence has a reply all the same. So has one that is stopped
 * before it, since the model is to know what it was told.
 */
async function outcomeOf(asked: Promise<ModelReply>, spoken: SpokenReply | null): Promise<Outcome> {
  try {
    const reply = await asked;
    spoken?.end(reply);
    return { reply, end: reply.finish, failure: null };
  } catch (error) {
    const failure = failureOf(error);
    const isKept = spoken !== null && (spoken.hasBegun || failure?.errorType === 'interrupted');
    if (!isKept || failure === null) throw error;
    const { text } = spoken;
    const reply = { text, finish: 'cut_off', memory: null, usage: NO_USAGE, replyId: null } as const;
    return { reply, end: 'interrupted', failure };
  }
}

/** After an interruption, sentences that were not spoken until then are dropped. */
function scannedReply({ text }: ModelReply, outsideText: OutsideText, end: ReplyEnd): ScannedReply {
  const scanned = parseReply(text, outsideText, end);
  if (end !== 'interrupted') return scanned;
  return { ...scanned, actions: scanned.actions.filter(({ action }) => action.kind !== 'say') };
}
