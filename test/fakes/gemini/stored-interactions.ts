import { unknownTurn } from './gemini-errors.ts';
import type { InputStep } from './interaction-request.ts';

export interface SaidText {
  readonly role: 'user' | 'assistant';
  readonly text: string;
}

export interface StoredInteraction {
  readonly id: string;
  readonly model: string;
  readonly previousId: string | null;
  readonly input: readonly InputStep[];
  readonly output: string;
}

/** Interactions by their ids. Free keys lose them after one day, paid ones after 55. */
export class StoredInteractions {
  readonly #byId = new Map<string, StoredInteraction>();
  #count = 0;

  get size(): number {
    return this.#byId.size;
  }

  newId(): string {
    this.#count += 1;
    return `v1_${String(this.#count).padStart(6, '0')}`;
  }

  add(interaction: StoredInteraction): void {
    this.#byId.set(interaction.id, interaction);
  }

  get(id: string): StoredInteraction | undefined {
    return this.#byId.get(id);
  }

  /** Returns false if there is none. */
  delete(id: string): boolean {
    return this.#byId.delete(id);
  }

  /** All have expired. */
  clear(): void {
    this.#byId.clear();
  }

  /** What was said up to and including an interaction, oldest first. Throws the VendorError when one is missing. */
  said(id: string | null): readonly SaidText[] {
    if (id === null) return [];
    const found = this.#byId.get(id);
    if (found === undefined) throw unknownTurn(id);
    return [
      ...this.said(found.previousId),
      ...textsOf(found.input),
      { role: 'assistant', text: found.output },
    ];
  }
}

export function textsOf(steps: readonly InputStep[]): readonly SaidText[] {
  return steps.map(({ type, content }) => ({
    role: type === 'user_input' ? 'user' : 'assistant',
    text: content.map(({ text }) => text).join(''),
  }));
}
