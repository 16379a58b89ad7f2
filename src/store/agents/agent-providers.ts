import { type Selectable, sql } from 'kysely';
import { prepared } from '../database/prepared.ts';
import type { Db } from '../database/tables.ts';
import type { SecretBox, SecretPlace } from '../secrets/secret-box.ts';
import type { AgentProvidersTable } from './agent-tables.ts';

type Texts = Readonly<Record<string, string>>;

/** The model behind an agent, with its secrets in plain text. In memory only; never logged. */
export interface StoredProvider
  extends Omit<
    Selectable<AgentProvidersTable>,
    'config' | 'sealedSecrets' | 'eventFilter' | 'feedPosition' | 'keyRefusals'
  > {
  readonly config: Texts;
  readonly secrets: Texts;
  readonly eventFilter: Readonly<Record<string, boolean>>;
}

export async function findProvider(
  db: Db,
  secrets: SecretBox,
  agentId: string,
): Promise<StoredProvider | undefined> {
  const row = await findSealedProvider(db, agentId);
  return row && openProvider(row, secrets);
}

/** A provider as it is stored, with its secrets sealed. */
type SealedProvider = Selectable<AgentProvidersTable>;

export async function findSealedProvider(db: Db, agentId: string): Promise<SealedProvider | undefined> {
  const { rows } = await ofAgent(db, { agentId });
  return rows[0];
}

const ofAgent = prepared((db, { agentId }: Pick<StoredProvider, 'agentId'>) =>
  db.selectFrom('agentProviders').selectAll().where('agentId', '=', agentId),
);

/**
 * Adds or replaces the agent's provider. A new one is called for events from now on. Refusals of the key are forgotten.
 */
export async function putProvider(db: Db, secrets: SecretBox, provider: StoredProvider): Promise<void> {
  const { agentId, config, secrets: texts, eventFilter, ...plain } = provider;
  const changed = {
    ...plain,
    config: JSON.stringify(config),
    eventFilter: JSON.stringify(eventFilter),
    sealedSecrets: secrets.seal(JSON.stringify(texts), secretsPlace(agentId)),
    keyRefusals: 0,
  };
  await db
    .insertInto('agentProviders')
    .values({ agentId, ...changed, feedPosition: sql<number>`(select coalesce(max(id), 0) from events)` })
    .onConflict((conflict) => conflict.column('agentId').doUpdateSet(changed))
    .execute();
}

/** Returns false if there was none. */
export async function deleteProvider(db: Db, agentId: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('agentProviders')
    .where('agentId', '=', agentId)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Returns provider names by agent id. Agents without a provider are left out. */
export async function listProviderNames(db: Db, accountId: string): Promise<Map<string, string>> {
  const rows = await db
    .selectFrom('agentProviders')
    .innerJoin('agents', 'agents.id', 'agentProviders.agentId')
    .select(['agentProviders.agentId', 'agentProviders.provider'])
    .where('agents.accountId', '=', accountId)
    .execute();
  return new Map(rows.map((row) => [row.agentId, row.provider]));
}

export function openProvider(row: SealedProvider, secrets: SecretBox): StoredProvider {
  const { config, eventFilter, sealedSecrets, feedPosition: _read, keyRefusals: _refused, ...plain } = row;
  const texts = sealedSecrets === null ? '{}' : secrets.open(sealedSecrets, secretsPlace(row.agentId));
  return {
    ...plain,
    config: JSON.parse(config),
    secrets: JSON.parse(texts),
    eventFilter: JSON.parse(eventFilter),
  };
}

function secretsPlace(agentId: string): SecretPlace {
  return { table: 'agent_providers', column: 'sealed_secrets', row: agentId };
}
