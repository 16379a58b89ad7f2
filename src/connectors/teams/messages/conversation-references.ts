import type { Space } from '../../../base/address.ts';
import { LimitedMap } from '../../../base/limited-map.ts';
import type { ConversationReference, TeamsRecords } from '../teams-records.ts';

const MAX_IN_MEMORY = 10_000;

interface Known {
  readonly reference: ConversationReference;
  readonly isKept: boolean;
}

/** Where conversations are reached: the newest in memory, those of connected people and channels on disk. */
export class ConversationReferences {
  readonly #records: Pick<TeamsRecords, 'reference' | 'putReference'>;
  readonly #known = new LimitedMap<Known>(MAX_IN_MEMORY);

  constructor(records: Pick<TeamsRecords, 'reference' | 'putReference'>) {
    this.#records = records;
  }

  /** Null: nothing has been heard from there. */
  async find(space: Space): Promise<ConversationReference | null> {
    const known = this.#known.get(keyOf(space));
    if (known) return known.reference;
    const reference = await this.#records.reference(space);
    if (reference) this.#known.set(keyOf(space), { reference, isKept: true });
    return reference;
  }

  /** Something was heard. Nothing is on disk yet: anybody in any tenant may write to the bot. */
  async heard(space: Space, reference: ConversationReference): Promise<void> {
    const before = await this.find(space);
    if (before === null || !isSame(before, reference))
      this.#known.set(keyOf(space), { reference, isKept: false });
  }

  /** Stores what was heard. Resolves once it is on disk. `isAgain`: also what was on disk before. */
  async keep(space: Space, isAgain = false): Promise<void> {
    const known = this.#known.get(keyOf(space));
    if (!known || (known.isKept && !isAgain)) return;
    const isKept = await this.#records.putReference(space, known.reference);
    this.#known.set(keyOf(space), { ...known, isKept });
  }
}

function keyOf({ kind, id }: Space): string {
  return `${kind} ${id}`;
}

function isSame(one: ConversationReference, other: ConversationReference): boolean {
  return (
    one.conversationId === other.conversationId &&
    one.serviceUrl === other.serviceUrl &&
    one.tenantId === other.tenantId
  );
}
