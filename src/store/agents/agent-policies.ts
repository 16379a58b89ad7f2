import { type Db, findRow, type Row } from '../database/rows.ts';

/** What the model of an agent may do to the outside, beside answering whoever its turn is about. */
export type AgentPolicy = Omit<Row<'agentPolicies'>, 'agentId' | 'updatedAt'>;

/** Whoever writes to a model may talk it into anything, so it reaches nobody else until its owner says so. */
export const DEFAULT_POLICY: AgentPolicy = {
  callsTo: [],
  newConversations: false,
  actionsPerTurn: 5,
  readingTools: null,
};

export async function findPolicy(db: Db, agentId: string): Promise<AgentPolicy> {
  const { callsTo, newConversations, actionsPerTurn, readingTools } =
    (await findRow(db, 'agentPolicies', { agentId })) ?? DEFAULT_POLICY;
  return { callsTo, newConversations, actionsPerTurn, readingTools };
}
