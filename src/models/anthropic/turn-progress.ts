import type { JsonApi, ProviderError } from '../http/json-api.ts';
import type { ModelReply, ModelTurn } from '../model-client.ts';
import { ModelFault, unusable } from '../model-fault.ts';
import { readError } from './anthropic-api.ts';
import { isMessageWith, type SessionEvent, textOf } from './session-events.ts';

/** `asks`: the ids of events on which the agent waits for an answer. A fault: the turn has failed. */
export type TurnState = 'running' | 'over' | { readonly asks: readonly string[] } | ModelFault;

const BETWEEN_MESSAGES = '\n';
/** An agent that asks more often does not want to finish. */
const MAX_QUESTIONS = 20;

/**
 * What the events of a session say of one turn. The stream may begin with the end of an earlier turn that was interrupted:
 * what comes before the turn is not part of it.
 */
export class TurnProgress {
  readonly #api: JsonApi;
  readonly #turn: ModelTurn;
  readonly #onText: (part: string) => void;
  #isStarted = false;
  readonly #known = new Set<string>();
  readonly #asked = new Set<string>();
  /** Texts of messages whose parts have been passed on, by id. */
  readonly #previews = new Map<string, string>();
  readonly #messages: string[] = [];
  /** The last `session.error`. */
  #error: SessionEvent | null = null;
  #inputTokens: number | null = null;
  #outputTokens: number | null = null;
  #replyId: string | null = null;

  constructor(api: JsonApi, turn: ModelTurn, onText: (part: string) => void) {
    this.#api = api;
    this.#turn = turn;
    this.#onText = onText;
  }

  /** Takes the next event. */
  take(event: SessionEvent): TurnState {
    if (this.#isRepeated(event)) return 'running';
    if (isMessageWith(this.#turn.marker, event)) this.#isStarted ||= !!event.processed_at;
    if (event.type === 'session.status_running') this.#isStarted = true;
    if (event.type === 'session.status_terminated' || event.type === 'session.deleted') {
      return this.#fault() ?? new ModelFault('lost_memory', { words: 'the session has ended' });
    }
    return this.#isStarted ? this.#takeOwn(event) : 'running';
  }

  /** Of a turn that is over. */
  get reply(): Omit<ModelReply, 'memory'> {
    const usage = { inputTokens: this.#inputTokens, outputTokens: this.#outputTokens };
    return { text: this.#messages.join(BETWEEN_MESSAGES), finish: 'complete', usage, replyId: this.#replyId };
  }

  /** Events of the user come twice, first queued and then processed. */
  #isRepeated({ id, type }: SessionEvent): boolean {
    if (id === undefined || type.startsWith('user.')) return false;
    if (this.#known.has(id)) return true;
    this.#known.add(id);
    return false;
  }

  #takeOwn(event: SessionEvent): TurnState {
    switch (event.type) {
      case 'event_delta':
        this.#preview(event.event_id ?? '', event.delta?.content.text ?? '');
        return 'running';
      case 'agent.message':
        this.#complete(event.id ?? '', textOf(event));
        return 'running';
      case 'span.model_request_end':
        this.#count(event.model_usage);
        return 'running';
      case 'session.error':
        this.#error = event;
        return 'running';
      case 'session.status_idle':
        return this.#stop(event);
      default:
        return 'running';
    }
  }

  #preview(id: string, part: string): void {
    if (part === '') return;
    const before = this.#previews.get(id);
    if (before === undefined && this.#previews.size > 0) this.#onText(BETWEEN_MESSAGES);
    this.#previews.set(id, (before ?? '') + part);
    this.#onText(part);
  }

  /** Parts may be missing; the message has the text as a whole. */
  #complete(id: string, text: string): void {
    const before = this.#previews.get(id) ?? '';
    if (text.startsWith(before)) this.#preview(id, text.slice(before.length));
    if (text !== '') this.#messages.push(text);
    this.#replyId = id === '' ? this.#replyId : id;
  }

  #count(usage: SessionEvent['model_usage']): void {
    if (usage === undefined) return;
    const cached = (usage.cache_read_input_tokens ?? 0) + (usage.cache_creation_input_tokens ?? 0);
    this.#inputTokens = (this.#inputTokens ?? 0) + cached + (usage.input_tokens ?? 0);
    this.#outputTokens = (this.#outputTokens ?? 0) + (usage.output_tokens ?? 0);
  }

  #stop({ stop_reason: reason, stop_details: details }: SessionEvent): TurnState {
    switch (reason?.type ?? '') {
      case 'requires_action':
        return this.#asks(reason?.event_ids ?? []);
      case 'retries_exhausted':
        // The session has the turn, without a reply.
        return (
          this.#fault() ??
          new ModelFault('overloaded', { words: 'the model gives no answer', isDoubtful: true })
        );
      case 'budget_reached':
        return new ModelFault('quota', { words: 'the budget of the session is used up' });
      case 'refusal':
        return this.#broken({
          words: details?.explanation || 'the model declined to answer',
          kind: 'refused',
        });
      default:
        return 'over';
    }
  }

  #fault(): ModelFault | null {
    return this.#error && this.#broken(readError(this.#error));
  }

  #broken(error: ProviderError | null): ModelFault {
    return this.#api.brokenStream(error, this.#turn.tools?.bearer ?? '');
  }

  #asks(ids: readonly string[]): TurnState {
    const asks = ids.filter((id) => !this.#asked.has(id));
    for (const id of asks) this.#asked.add(id);
    if (this.#asked.size > MAX_QUESTIONS) {
      return unusable('the agent asks for confirmation again and again');
    }
    return { asks };
  }
}
