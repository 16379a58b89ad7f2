/**
 * Where a provider keeps a conversation, such as `{conversation: "conv_…"}`. Stored by the gateway between two turns.
 * Only the client that made it reads it, and checks it as it would anything from outside.
 */
export type ModelMemory = Readonly<Record<string, string>>;

/** One earlier turn of a conversation, from the gateway's own transcript. */
export interface PastTurn {
  readonly role: 'user' | 'assistant';
  readonly text: string;
}

/** The gateway's MCP endpoint, for providers whose servers can read from it. */
export interface GatewayTools {
  readonly url: string;
  /** The internal bearer of the agent. A secret. */
  readonly bearer: string;
}

/** One turn: what the model is told. */
export interface ModelTurn {
  /** Where the provider keeps the conversation; null starts a new one. */
  readonly memory: ModelMemory | null;
  /**
   * The turns before this one, oldest first, for a provider that does not have them: it keeps no memory, or `memory` is
   * null. Empty when it has them.
   */
  readonly history: readonly PastTurn[];
  readonly instructions: string;
  /** Null: the provider has the turn's text already, and is asked only for the reply to it. */
  readonly text: string | null;
  /** A text within `text` by which the turn can be found at the provider again. */
  readonly marker: string;
  readonly maxOutputTokens: number;
  /** The reply is spoken: the model should answer soon, with little reasoning. */
  readonly isSpoken: boolean;
  /** Null: the model may not read from the gateway. */
  readonly tools: GatewayTools | null;
  /** Ends the turn: an interruption or the deadline. */
  readonly signal: AbortSignal;
}

/** Is told of a turn's progress. Must not throw. */
export interface TurnObserver {
  /** The conversation is kept here from now on. Called before the turn is sent, and when the place changes. */
  memoryChanged(memory: ModelMemory): void;
  /** The next part of the reply's final text. Never reasoning, commentary, refusals or tool output. */
  text(part: string): void;
}

/** Tokens as the provider counts them; null where it does not say. */
export interface ModelUsage {
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
}

/** A model's reply. */
export interface ModelReply {
  /** The final text as a whole, which counts more than the parts before it. May be empty. */
  readonly text: string;
  /** `cut_off`: the model reached a limit of length in the middle of the text. */
  readonly finish: 'complete' | 'cut_off';
  readonly memory: ModelMemory | null;
  readonly usage: ModelUsage;
  /** The provider's id of the reply; null where it has none. */
  readonly replyId: string | null;
}

/** What has become of a turn whose connection was lost. */
export type TurnFate =
  /** The provider does not have it: it may be sent again. */
  | { readonly kind: 'absent' }
  /** The provider has the text but no reply yet, and none is being made. */
  | { readonly kind: 'unanswered' }
  | { readonly kind: 'answered'; readonly reply: ModelReply };

/** Something that can be chosen: a model, or an agent hosted by the provider. */
export interface ModelChoice {
  readonly id: string;
  readonly name: string;
  /** ISO 8601 date from which it no longer answers; null where none is known. */
  readonly endsAt: string | null;
}

export interface ModelChoices {
  readonly models: readonly ModelChoice[];
  readonly agents: readonly ModelChoice[];
  /** Words for the person who chooses, such as what the key cannot do; null: nothing to say. */
  readonly notice: string | null;
}

/** One agent's access to one provider. Methods reject with a ModelFault, and with the signal's reason once it aborts. */
export interface ModelClient {
  /** Checks the key and the chosen model or agent with requests that cost nothing or next to nothing. */
  probe(signal: AbortSignal): Promise<void>;
  browse(signal: AbortSignal): Promise<ModelChoices>;
  /**
   * Sends one turn and streams the reply. Never sends a turn twice: a fault that `isDoubtful` means that the provider
   * may have it.
   */
  turn(turn: ModelTurn, observer: TurnObserver): Promise<ModelReply>;
  /**
   * Whether a turn with this memory must bring the history: the provider keeps none of it. Absent: only a turn without
   * memory must.
   */
  needsHistory?(memory: ModelMemory): boolean;
  /** Finds out what has become of a doubtful turn. */
  reconcile(turn: ModelTurn): Promise<TurnFate>;
  /** Deletes the conversation at the provider, where the provider can. One that is gone already is no fault. */
  forget(memory: ModelMemory, signal: AbortSignal): Promise<void>;
  /**
   * Deletes what the provider keeps to read from the gateway with one bearer, named by the digest of the tools. Absent:
   * it keeps nothing of that.
   */
  forgetTools?(digest: string, signal: AbortSignal): Promise<void>;
}
