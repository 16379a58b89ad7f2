import { ReadingTime } from '../../../src/base/reading-time.ts';
import { systemClock } from '../../../src/base/time.ts';
import { type AccountHttp, ModelHttp, type ModelHttpDeps } from '../../../src/models/http/model-http.ts';
import type { ModelMemory, ModelTurn, TurnObserver } from '../../../src/models/model-client.ts';
import { ModelFault } from '../../../src/models/model-fault.ts';

/** Never aborts. */
export const NEVER = new AbortController().signal;

export interface TestHttp extends AccountHttp {
  close(): void;
}

/** HTTP of one account. */
export function accountHttp(
  access: Pick<ModelHttpDeps, 'findAddresses' | 'isOpen'>,
  clock = systemClock,
): TestHttp {
  const http = new ModelHttp({ ...access, clock, readingTime: new ReadingTime(clock) });
  const { send } = http.of('account');
  return { send, close: () => http.close() };
}

/** HTTP that reaches fakes on loopback. */
export function loopbackHttp(): TestHttp {
  return accountHttp({
    findAddresses: async () => ['127.0.0.1'],
    isOpen: (address) => address.startsWith('127.'),
  });
}

/** A written turn of a new conversation; `parts` differ from it. */
export function turnOf(text: string, parts: Partial<ModelTurn> = {}): ModelTurn {
  return {
    memory: null,
    history: [],
    instructions: 'Answer briefly.',
    text,
    marker: 'delivery-1',
    maxOutputTokens: 500,
    isSpoken: false,
    tools: null,
    signal: NEVER,
    ...parts,
  };
}

/** Notes what a client reports of a turn. */
export class NotedTurn implements TurnObserver {
  readonly memories: ModelMemory[] = [];
  readonly parts: string[] = [];
  #heard: (() => void) | null = null;

  memoryChanged(memory: ModelMemory): void {
    this.memories.push(memory);
  }

  text(part: string): void {
    this.parts.push(part);
    this.#heard?.();
  }

  get whole(): string {
    return this.parts.join('');
  }

  /** Resolves with the first part of the reply. */
  firstPart(): Promise<void> {
    return new Promise((resolve) => {
      this.#heard = resolve;
      if (this.parts.length > 0) resolve();
    });
  }
}

/** Awaits the fault of a request that must fail. */
export async function faultOf(request: Promise<unknown>): Promise<ModelFault> {
  const error = await request.then(
    () => new Error('the request succeeded'),
    (reason: unknown) => reason,
  );
  if (error instanceof ModelFault) return error;
  throw error;
}
