import type { Texts } from '../agents/agent-tables.ts';
import { changeRows, type Db, findRow, insertNewRow, type Row } from '../database/rows.ts';
import { type SecretBox, secretPlaces } from '../secrets/secret-box.ts';

type Stored = Row<'forgottenAtProviders'>;

/** How a provider is reached, with secrets in plain text. In memory only; never logged. */
export interface FormerProvider extends Pick<Stored, 'agentId' | 'provider' | 'config' | 'updatedAt'> {
  readonly secrets: Texts;
}

/** Something to be deleted at a provider. */
export interface Forgotten extends FormerProvider, Pick<Stored, 'id' | 'owner' | 'kept' | 'attempts'> {}

const secretsPlace = secretPlaces('forgotten_at_providers', 'sealed_secrets');

export type NewForgotten = Pick<Forgotten, 'id' | 'kept'> & { readonly dueAt: string };

/** Adds something to be deleted, unless it is there already. Call it while the agent is still there. */
export async function insertForgotten(
  db: Db,
  secrets: SecretBox,
  { agentId, provider, config, secrets: texts, updatedAt }: FormerProvider,
  { id, kept, dueAt }: NewForgotten,
): Promise<void> {
  const sealedSecrets = secrets.seal(JSON.stringify(texts), secretsPlace(id));
  const owner = (await findRow(db, 'agents', { id: agentId }))?.accountId ?? agentId;
  const row = { id, owner, agentId, provider, config, sealedSecrets, kept, dueAt, updatedAt };
  await insertNewRow(db, 'forgottenAtProviders', row);
}

/** Returns what is due: of each owner what has been due longest, at most `each`, and `most` in all. */
export async function listDueForgotten(
  db: Db,
  secrets: SecretBox,
  nowIso: string,
  { each, most }: { readonly each: number; readonly most: number },
): Promise<Forgotten[]> {
  const rows = await db
    .selectFrom((query) =>
      query
        .selectFrom('forgottenAtProviders')
        .selectAll()
        .select(({ fn }) =>
          fn
            .agg<number>('row_number')
            .over((over) => over.partitionBy('owner').orderBy('dueAt'))
            .as('place'),
        )
        .where('dueAt', '<=', nowIso)
        .as('due'),
    )
    .selectAll()
    .where('place', '<=', each)
    .orderBy('place')
    .orderBy('dueAt')
    .limit(most)
    .execute();
  return rows.map(({ sealedSecrets, place: _, ...plain }) => ({
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
