import type { Platform } from '../../base/platform.ts';
import type { Member } from '../agents/agents.ts';
import { countRows, type Db } from '../database/rows.ts';
import { listBots } from './bot-tokens.ts';

/** A platform login, bot or phone number, as a possible member of an agent. */
export type PlatformAccount =
  | (Common & {
      readonly type: 'connection';
      readonly provider: string;
      readonly email: string | null;
      readonly loginKey: string | null;
    })
  | (Common & {
      readonly type: 'bot_token';
      readonly platform: Platform;
      readonly botName: string | null;
      /** Name of the bot's owner at the platform; null: nobody is known to own it. */
      readonly ownerName: string | null;
    })
  | (Common & { readonly type: 'sip_number'; readonly number: string });

interface Common {
  readonly id: string;
  readonly status: string;
  readonly label: string;
}

/** Returns all platform accounts of an account: connections, bots, numbers; oldest first within each kind. */
export async function listPlatformAccounts(db: Db, accountId: string): Promise<PlatformAccount[]> {
  const owners = await botOwners(db, accountId);
  return [
    ...(await listConnections(db, accountId)),
    ...(await listBots(db, accountId)).map(({ id, status, platform, botName }) => {
      const ownerName = owners.get(id) ?? null;
      return {
        type: 'bot_token',
        label: botName ?? platform,
        id,
        status,
        platform,
        botName,
        ownerName,
      } as const;
    }),
    ...(await listNumbers(db, accountId)),
  ];
}

async function listConnections(db: Db, accountId: string): Promise<PlatformAccount[]> {
  const rows = await db
    .selectFrom('connections')
    .select(['id', 'status', 'label', 'provider', 'email', 'loginKey'])
    .where('accountId', '=', accountId)
    .orderBy('createdAt')
    .orderBy('id')
    .execute();
  return rows.map((row) => ({ type: 'connection', ...row }));
}

/** Returns the names of the people who own the account's bots, by the bot's id. */
async function botOwners(db: Db, accountId: string): Promise<ReadonlyMap<string, string | null>> {
  const rows = await db
    .selectFrom('botOwners')
    .innerJoin('conversations', 'conversations.id', 'botOwners.conversationId')
    .select(['botOwners.botId', 'conversations.remoteName'])
    .where('botOwners.accountId', '=', accountId)
    .execute();
  return new Map(rows.map(({ botId, remoteName }) => [botId, remoteName]));
}

/** A number is only usable with a trunk. */
async function listNumbers(db: Db, accountId: string): Promise<PlatformAccount[]> {
  const rows = await db
    .selectFrom('sipDids')
    .leftJoin('sipTrunks', 'sipTrunks.accountId', 'sipDids.accountId')
    .select(['sipDids.id', 'sipDids.number', 'sipDids.label', 'sipTrunks.host'])
    .where('sipDids.accountId', '=', accountId)
    .orderBy('sipDids.createdAt')
    .orderBy('sipDids.id')
    .execute();
  return rows.map(({ id, number, label, host }) => ({
    type: 'sip_number',
    id,
    status: host === null ? 'not_configured' : 'ok',
    label: label ?? number,
    number,
  }));
}

const TABLE_OF = { connection: 'connections', bot_token: 'botTokens', sip_number: 'sipDids' } as const;

/** Returns whether the account has this platform account. */
export async function ownsMember(db: Db, accountId: string, member: Member): Promise<boolean> {
  return (await countRows(db, TABLE_OF[member.type], { accountId, id: member.id })) > 0;
}
