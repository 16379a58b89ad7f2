import type { Selectable } from 'kysely';
import type { Db } from '../database/tables.ts';
import type { SlackLoginsTable } from './login-tables.ts';

/** Who a login is at Slack. */
export interface SlackIdentity
  extends Pick<Selectable<SlackLoginsTable>, 'teamId' | 'enterpriseId' | 'userId'> {
  /** The app is installed in the whole organization. */
  readonly isOrgWide: boolean;
}

/** An own bot, or a connection. */
interface OwnLogin {
  readonly kind: 'bot_token' | 'connection';
  readonly id: string;
}

/** Undefined: Slack has never told. */
export async function findSlackLogin(db: Db, loginKey: string): Promise<SlackIdentity | undefined> {
  const row = await db
    .selectFrom('slackLogins')
    .select(['teamId', 'enterpriseId', 'isOrgWide', 'userId'])
    .where('loginKey', '=', loginKey)
    .executeTakeFirst();
  return row && { ...row, isOrgWide: row.isOrgWide === 1 };
}

/**
 * Stores who a login is, in place of what was stored. Returns false when another login is the same bot, or when another
 * account has connected a workspace that this one would include: the shared app in an organization, or in one of its
 * workspaces.
 */
export async function claimSlackLogin(db: Db, login: OwnLogin, identity: SlackIdentity): Promise<boolean> {
  return await db.transaction().execute(async (trx) => {
    if ((await isSameBot(trx, login, identity)) || (await overlaps(trx, login, identity))) return false;
    const stored = { ...identity, isOrgWide: identity.isOrgWide ? 1 : 0 } as const;
    const ids = {
      botId: login.kind === 'bot_token' ? login.id : null,
      connectionId: login.kind === 'connection' ? login.id : null,
    };
    await trx
      .insertInto('slackLogins')
      .values({ loginKey: login.id, ...ids, ...stored })
      .onConflict((conflict) => conflict.column('loginKey').doUpdateSet(stored))
      .execute();
    return true;
  });
}

async function isSameBot(db: Db, { id }: OwnLogin, { teamId, userId }: SlackIdentity): Promise<boolean> {
  const same = await db
    .selectFrom('slackLogins')
    .select('loginKey')
    .where('teamId', '=', teamId)
    .where('userId', '=', userId)
    .executeTakeFirst();
  return same !== undefined && same.loginKey !== id;
}

/** Own bots are apps of their own, which may be in the same workspace. */
async function overlaps(
  db: Db,
  { kind, id }: OwnLogin,
  { enterpriseId, isOrgWide }: SlackIdentity,
): Promise<boolean> {
  if (kind !== 'connection' || enterpriseId === null) return false;
  const others = await db
    .selectFrom('slackLogins')
    .innerJoin('connections', 'connections.id', 'slackLogins.connectionId')
    .select('slackLogins.isOrgWide')
    .where('slackLogins.enterpriseId', '=', enterpriseId)
    .where('connections.accountId', '!=', (own) =>
      own.selectFrom('connections as own').select('own.accountId').where('own.id', '=', id),
    )
    .execute();
  return others.some((other) => isOrgWide || other.isOrgWide === 1);
}
