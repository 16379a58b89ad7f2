import type {
  ModelClient,
  ModelMemory,
  ModelReply,
  ModelTurn,
  TurnFate,
  TurnObserver,
} from '../../../src/models/model-client.ts';

/** What the model does with one turn. */
export type TurnScript = (turn: ModelTurn, observer: TurnObserver) => Promise<ModelReply> | ModelReply;

/** A model within the test's process that remembers what it was told, as providers with conversations do. */
export class ScriptedModel implements ModelClient {
  readonly turns: ModelTurn[] = [];
  readonly reconciled: ModelTurn[] = [];
  readonly forgotten: ModelMemory[] = [];
  readonly forgottenTools: string[] = [];
  /** How deletions fail. */
  forgetFault: Error | null = null;
  /** What has become of doubtful turns. */
  fate: TurnFate = { kind: 'absent' };
  /** What a probe finds. */
  health: Error | null = null;
  /** Whether a turn with this memory gets the history all the same. */
  needsHistory: (memory: ModelMemory) => boolean = () => false;
  /** How turns are answered once no more scripts are prepared. */
  otherwise: TurnScript = (turn) => this.says(`You said: ${turn.text}`, turn);
  readonly #scripts: TurnScript[] = [];
  #serial = 0;

  /** Prepares what is done with the next turns, one each. */
  will(...scripts: (TurnScript | string | Error)[]): void {
    for (const script of scripts) {
      if (typeof script === 'function') this.#scripts.push(script);
      else if (typeof script === 'string') this.#scripts.push((turn) => this.says(script, turn));
      else this.#scripts.push(() => Promise.reject(script));
    }
  }

  /** Lets the next turn wait until the returned function is called with the reply. */
  hold(): (text: string) => void {
    const gate = Promise.withResolvers<string>();
    this.will(async (turn) => {
      const aborted = Promise.withResolvers<never>();
      turn.signal.addEventListener('abort', () => aborted.reject(turn.signal.reason), { once: true });
      return this.says(await Promise.race([gate.promise, aborted.promise]), turn);
    });
    return gate.resolve;
  }

  says(text: string, { memory }: Pick<ModelTurn, 'memory'>): ModelReply {
    return {
      text,
      finish: 'complete',
      memory: memory ?? { conversation: `conv_${++this.#serial}` },
      usage: { inputTokens: 10, outputTokens: 5 },
      replyId: null,
    };
  }

  async probe(): Promise<void> {
    if (this.health !== null) throw this.health;
  }

  async browse() {
    return { models: [], agents: [], notice: null };
  }

  async turn(turn: ModelTurn, observer: TurnObserver): Promise<ModelReply> {
    this.turns.push(turn);
    turn.signal.throwIfAborted();
    return await (this.#scripts.shift() ?? this.otherwise)(turn, observer);
  }

  async reconcile(turn: ModelTurn): Promise<TurnFate> {
    this.reconciled.push(turn);
    return this.fate;
  }

  async forget(memory: ModelMemory): Promise<void> {
    this.forgotten.push(memory);
    if (this.forgetFault !== null) throw this.forgetFault;
  }

  async forgetTools(digest: string): Promise<void> {
    this.forgottenTools.push(digest);
  }
}
