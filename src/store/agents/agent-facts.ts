import { prepared } from '../database/prepared.ts';
import type { Db } from '../database/rows.ts';

/** What an agent is called, and its platform accounts. The platform of a phone number is null. */
export interface AgentFacts {
  readonly name: string;
  readonly accounts: readonly { readonly id: string; readonly platform: string | null }[];
}

/** Describes an agent in one query. An agent that is gone has no name. */
export async function describeAgent(db: Db, agentId: string): Promise<AgentFacts> {
  const { rows } = await facts(db, { agentId });
  return {
    name: rows[0]?.name ?? '',
    accounts: rows.flatMap(({ memberId: id, provider, platform }) =>
      id === null ? [] : { id, platform: provider ?? platform },
    ),
  };
}

const facts = prepared((db, { agentId }: { readonly agentId: string }) =>
  db
    .selectFrom('agents')
    .leftJoin('agentAccounts', 'agentAccounts.agentId', 'agents.id')
    .leftJoin('connections', (join) =>
      join.onRef('connections.id', '=', 'memberId').on('memberType', '=', 'connection'),
    )
    .leftJoin('botTokens', (join) =>
      join.onRef('botTokens.id', '=', 'memberId').on('memberType', '=', 'bot_token'),
    )
    .select(['agents.name', 'memberId', 'connections.provider', 'botTokens.platform'])
    .where('agents.id', '=', agentId)
    .orderBy('memberType')
    .orderBy('memberId'),
);
