import type { Texts } from '../agents/agent-tables.ts';
import { changeRows, type Db, insertNewRow, type Row } from '../database/rows.ts';
import { type SecretBox, secretPlaces } from '../secrets/secret-box.ts';

type Stored = Row<'forgottenAtProviders'>;

/** How a provider is reached, with secrets in plain text. In memory only; never logged. */
export interface FormerProvider extends Pick<Stored, 'agentId' | 'provider' | 'config' | 'updatedAt'> {
  readonly secrets: Texts;
}

/** Something to be deleted at a provider. */
export interface Forgotten extends FormerProvider, Pick<Stored, 'id' | 'kept' | 'attempts'> {}

const secretsPlace = secretPlaces('forgotten_at_providers', 'sealed_secrets');

export type NewForgotten = Pick<Forgotten, 'id' | 'kept'> & { readonly dueAt: string };

/** Adds something to be deleted, unless it is there already. */
export async function insertForgotten(
  db: Db,
  secrets: SecretBox,
  { agentId, provider, config, secrets: texts, updatedAt }: FormerProvider,
  { id, kept, dueAt }: NewForgotten,
): Promise<void> {
  const sealedSecrets = secrets.seal(JSON.stringify(texts), secretsPlace(id));
  const row = { id, agentId, provider, config, sealedSecrets, kept, dueAt, updatedAt };
  await insertNewRow(db, 'forgottenAtProviders', row);
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
  return rows.map(({ sealedSecrets, ...plain }) => ({
    ...plain,
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
  await changeRows(db, 'forgottenAtProviders', { id }, { attempts: attempts + 1, dueAt });
}
