import { sql } from 'kysely';
import { type Db, findRow, type Row } from '../database/rows.ts';
import { type SecretBox, secretPlaces } from '../secrets/secret-box.ts';
import type { Texts } from './agent-tables.ts';

/** A provider as it is stored, with its secrets sealed. */
export type SealedProvider = Row<'agentProviders'>;

const secretsPlace = secretPlaces('agent_providers', 'sealed_secrets');

/** The model behind an agent, with its secrets in plain text. In memory only; never logged. */
export interface StoredProvider
  extends Omit<SealedProvider, 'sealedSecrets' | 'feedPosition' | 'keyRefusals'> {
  readonly secrets: Texts;
}

export async function findProvider(
  db: Db,
  secrets: SecretBox,
  agentId: string,
): Promise<StoredProvider | undefined> {
  const row = await findRow(db, 'agentProviders', { agentId });
  return row && openProvider(row, secrets);
}

/**
 * Adds or replaces the agent's provider. A new one is called for events from now on. Refusals of the key are forgotten.
 */
export async function putProvider(db: Db, secrets: SecretBox, provider: StoredProvider): Promise<void> {
  const { agentId, secrets: texts, ...plain } = provider;
  const changed = {
    ...plain,
    sealedSecrets: secrets.seal(JSON.stringify(texts), secretsPlace(agentId)),
    keyRefusals: 0,
  };
  await db
    .insertInto('agentProviders')
    .values({ agentId, ...changed, feedPosition: sql<number>`(select coalesce(max(id), 0) from events)` })
    .onConflict((conflict) => conflict.column('agentId').doUpdateSet(changed))
    .execute();
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
  const { sealedSecrets, feedPosition: _read, keyRefusals: _refused, ...plain } = row;
  const texts = sealedSecrets === null ? '{}' : secrets.open(sealedSecrets, secretsPlace(row.agentId));
  return { ...plain, secrets: JSON.parse(texts) };
}
