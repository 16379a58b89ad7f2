import type { Db } from '../database/tables.ts';
import type { SecretBox, SecretPlace } from '../secrets/secret-box.ts';

type Texts = Readonly<Record<string, string>>;

/** How a provider is reached, with secrets in plain text. In memory only; never logged. */
export interface FormerProvider {
  readonly agentId: string;
  readonly provider: string;
  readonly config: Texts;
  readonly secrets: Texts;
  /** When these settings were made, ISO 8601. */
  readonly updatedAt: string;
}

/** Something to be deleted at a provider. */
export interface Forgotten extends FormerProvider {
  readonly id: string;
  /** What it is, in the words of those who note it. */
  readonly kept: Readonly<Record<string, unknown>>;
  /** Attempts that have failed. */
  readonly attempts: number;
}

export type NewForgotten = Pick<Forgotten, 'id' | 'kept'> & { readonly dueAt: string };

/** Adds something to be deleted, unless it is there already. */
export async function insertForgotten(
  db: Db,
  secrets: SecretBox,
  { agentId, provider, config, secrets: texts, updatedAt }: FormerProvider,
  { id, kept, dueAt }: NewForgotten,
): Promise<void> {
  await db
    .insertInto('forgottenAtProviders')
    .values({
      id,
      agentId,
      provider,
      config: JSON.stringify(config),
      sealedSecrets: secrets.seal(JSON.stringify(texts), secretsPlace(id)),
      kept: JSON.stringify(kept),
      dueAt,
      updatedAt,
    })
    .onConflict((conflict) => conflict.columns(['agentId', 'kept']).doNothing())
    .execute();
}

/** Counts what is to be deleted for an agent. */
export async function countForgotten(db: Db, agentId: string): Promise<number> {
  const { count } = await db
    .selectFrom('forgottenAtProviders')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('agentId', '=', agentId)
    .executeTakeFirstOrThrow();
  return count;
}

/** Returns what is due, the longest due first. */
export async function listDueForgotten(
  db: Db,
  secrets: SecretBox,
  nowIso: string,
  limit: number,
): Promise<Forgotten[]> {
  const rows = await db
    .selectFrom('forgottenAtProviders')
    .selectAll()
    .where('dueAt', '<=', nowIso)
    .orderBy('dueAt')
    .limit(limit)
    .execute();
  return rows.map(({ config, kept, sealedSecrets, ...plain }) => ({
    ...plain,
    config: JSON.parse(config),
    kept: JSON.parse(kept),
    secrets: JSON.parse(secrets.open(sealedSecrets, secretsPlace(plain.id))),
  }));
}

/** Returns when the next deletion is due, ISO 8601. Null: none is left. */
export async function nextForgottenDue(db: Db): Promise<string | null> {
  const row = await db
    .selectFrom('forgottenAtProviders')
    .select(({ fn }) => fn.min('dueAt').as('dueAt'))
    .executeTakeFirst();
  return row?.dueAt ?? null;
}

/** Tries a deletion again later. */
export async function postponeForgotten(
  db: Db,
  { id, attempts }: Pick<Forgotten, 'id' | 'attempts'>,
  dueAt: string,
): Promise<void> {
  await db
    .updateTable('forgottenAtProviders')
    .set({ attempts: attempts + 1, dueAt })
    .where('id', '=', id)
    .execute();
}

export async function deleteForgotten(db: Db, id: string): Promise<void> {
  await db.deleteFrom('forgottenAtProviders').where('id', '=', id).execute();
}

function secretsPlace(id: string): SecretPlace {
  return { table: 'forgotten_at_providers', column: 'sealed_secrets', row: id };
}
