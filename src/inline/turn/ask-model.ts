import { cutText } from '../../base/cut-text.ts';
import { match } from '../../base/match.ts';
import { type Clock, pause } from '../../base/time.ts';
import type {
  ModelClient,
  ModelReply,
  ModelTurn,
  PastTurn,
  TurnObserver,
} from '../../models/model-client.ts';
import { isTemporary, ModelFault } from '../../models/model-fault.ts';
import type { TurnConversation } from './turn-conversation.ts';
import { newestTurns } from './turn-input.ts';

/** The first attempt and two more. */
const MAX_ATTEMPTS = 3;
/** The first answer without words, and another one. */
const MAX_SILENCES = 2;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 4_000;
/** Four times what the tokens of a reply usually have. What reads a reply does so in one go. */
const MAX_REPLY_CHARACTERS = 65_536;
/** What is kept of a history that is too long: the newest part. */
const SHORTER = 1 / 4;

/** What asking a model needs. */
export interface Asking {
  readonly clock: Clock;
  readonly client: ModelClient;
  readonly memory: TurnConversation;
  /** Reads the turns before, for a provider that has lost them. */
  readonly history: () => Promise<readonly PastTurn[]>;
  readonly observer: TurnObserver;
  /** Notes an attempt before it is made. Throws if the turn is over. */
  readonly begin: () => Promise<void>;
  /** Whether part of the reply is out already, so that the turn must not be repeated. */
  readonly isVisible: () => boolean;
  /** When the turn's signal aborts, on the clock's monotonic scale. */
  readonly deadlineMs: number;
}

/** What to do after a fault or a restart: send this turn, or take the reply that the provider has. */
type Next = { readonly turn: ModelTurn } | { readonly reply: ModelReply };

/** How a turn has gone so far. */
interface Tries {
  /** Attempts that have failed. */
  failed: number;
  /** Answers without words. */
  empty: number;
  /** The provider may still be working on one of them. */
  mayBeUnderWay: boolean;
}

/**
 * Asks a model, and again where that is safe: after faults that pass, after the provider has lost the conversation or
 * finds it too long, and after a doubtful turn that the provider turns out not to have. `wasSent`: an earlier process
 * has sent the turn. Rejects with a ModelFault, or with the reason of the turn's signal.
 */
export async function askModel(asking: Asking, turn: ModelTurn, wasSent: boolean): Promise<ModelReply> {
  const tries: Tries = { failed: 0, empty: 0, mayBeUnderWay: false };
  let next: Next = wasSent ? await reconciled(asking, turn) : { turn };
  while ('turn' in next) {
    const asked: ModelTurn = next.turn;
    await asking.begin();
    try {
      const reply = await asking.client.turn(asked, asking.observer);
      // On a call, not to speak may be an answer.
      if (turn.isSpoken || reply.text.trim() !== '') return withinLimit(reply);
      tries.empty += 1;
      next = afterSilence(asked, reply, tries);
    } catch (error) {
      turn.signal.throwIfAborted();
      if (!(error instanceof ModelFault) || asking.isVisible()) throw error;
      tries.failed += 1;
      tries.mayBeUnderWay ||= error.isDoubtful;
      next = await afterFault(asking, asked, error, tries);
    }
  }
  return withinLimit(next.reply);
}

/** Some endpoints keep to no number of tokens. */
function withinLimit(reply: ModelReply): ModelReply {
  if (reply.text.length <= MAX_REPLY_CHARACTERS) return reply;
  return { ...reply, text: cutText(reply.text, MAX_REPLY_CHARACTERS), finish: 'cut_off' };
}

/** A model that has only thought may answer when it is asked again. Once: after that, nobody would be told anything. */
function afterSilence(turn: ModelTurn, { memory, finish }: ModelReply, { empty }: Tries): Next {
  if (empty < MAX_SILENCES) return { turn: { ...turn, memory: memory ?? turn.memory } };
  const why = finish === 'cut_off' ? ': it reached a limit of length before it wrote any' : '';
  throw new ModelFault('empty', { words: `The model's answer has no words${why}` });
}

/** Throws the fault if the turn must not be repeated. */
async function afterFault(
  asking: Asking,
  turn: ModelTurn,
  fault: ModelFault,
  { failed, mayBeUnderWay }: Tries,
): Promise<Next> {
  // A conversation stays locked for as long as the provider works on a turn, which may be this one.
  if (fault.kind === 'locked') {
    await pauseAfter(asking, turn, fault, failed);
    return mayBeUnderWay ? await reconciled(asking, turn, fault) : { turn };
  }
  if (failed >= MAX_ATTEMPTS) throw fault;
  if (fault.isDoubtful) return await reconciled(asking, turn, fault);
  if (fault.kind === 'lost_memory' && asking.memory.current !== null) return await rebuilt(asking, turn);
  if (fault.kind === 'too_long' && (turn.memory !== null || turn.history.length > 0))
    return await shortened(asking, turn);
  if (!isTemporary(fault)) throw fault;
  await pauseAfter(asking, turn, fault, failed);
  return { turn };
}

/** Throws the fault if the turn would be over before the pause. */
async function pauseAfter(
  { clock, deadlineMs }: Asking,
  { signal }: ModelTurn,
  fault: ModelFault,
  failed: number,
): Promise<void> {
  const backoffMs = Math.min(FIRST_PAUSE_MS * 2 ** (failed - 1), LONGEST_PAUSE_MS);
  const waitMs = Math.max(fault.retryAfterMs ?? 0, backoffMs * (1 + Math.random() / 4));
  if (clock.monotonicMs() + waitMs >= deadlineMs) throw fault;
  await pause(clock, waitMs, signal);
  signal.throwIfAborted();
}

/**
 * Finds out what has become of a turn that the provider may have. When nobody can tell, the turn fails with the fault
 * that made it doubtful.
 */
async function reconciled(asking: Asking, turn: ModelTurn, fault?: ModelFault): Promise<Next> {
  const memory = asking.memory.current;
  // Without a conversation at the provider, the turn cannot be a part of it.
  if (memory === null) return { turn };
  try {
    const fate = await asking.client.reconcile({ ...turn, memory });
    return await match(fate, 'kind', {
      answered: (fate) => ({ reply: fate.reply }),
      unanswered: () => ({ turn: { ...turn, memory, text: null } }),
      // A conversation that this turn has begun may lack its history too.
      absent: async () =>
        turn.memory === null || fault === undefined ? await rebuilt(asking, turn) : { turn },
    });
  } catch (error) {
    turn.signal.throwIfAborted();
    if (error instanceof ModelFault && error.kind === 'lost_memory') return await rebuilt(asking, turn);
    throw fault ?? error;
  }
}

/** The turn in a new conversation, which gets the history, unless that was reset meanwhile. */
async function rebuilt(asking: Asking, turn: ModelTurn): Promise<Next> {
  return await restarted(asking, turn, await historyFor(asking, turn));
}

/** The same with less of the history. */
async function shortened(asking: Asking, turn: ModelTurn): Promise<Next> {
  return await restarted(asking, turn, newestPart(await historyFor(asking, turn)));
}

async function restarted({ memory }: Asking, turn: ModelTurn, history: readonly PastTurn[]): Promise<Next> {
  memory.abandon();
  await memory.stored();
  return { turn: { ...turn, memory: null, history: memory.isKnown ? history : [] } };
}

/** What was shortened before stays so. */
async function historyFor({ history }: Asking, turn: ModelTurn): Promise<readonly PastTurn[]> {
  return turn.history.length > 0 ? turn.history : await history();
}

function newestPart(history: readonly PastTurn[]): PastTurn[] {
  const whole = history.reduce((sum, { text }) => sum + text.length, 0);
  return newestTurns(history, Math.floor(whole * SHORTER));
}
