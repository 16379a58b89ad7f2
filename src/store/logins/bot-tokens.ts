import type { Platform } from '../../base/platform.ts';
import { type Db, findRow, insertRow, listRows, type Row } from '../database/rows.ts';
import { type SecretBox, type SecretPlace, secretPlaces } from '../secrets/secret-box.ts';

/** A bot without its secrets. */
export interface StoredBot
  extends Omit<Row<'botTokens'>, 'sealedToken' | 'sealedSigningSecret' | 'sealedAppToken' | 'discordAppId'> {
  /** The id of the bot's application, on platforms that need it. */
  readonly appId: string | null;
}

/** A bot's secrets. In memory only; never logged. */
export interface BotSecrets {
  readonly token: string;
  /** With which the platform signs webhooks, where it is given. */
  readonly signingSecret: string | null;
  /** With which the bot's app opens a connection for events, where it is given. */
  readonly appToken: string | null;
}

const SHOWN = [
  'id',
  'accountId',
  'platform',
  'botName',
  'status',
  'discordAppId as appId',
  'createdAt',
] as const;

const tokenPlace = secretPlaces('bot_tokens', 'sealed_token');
const signingPlace = secretPlaces('bot_tokens', 'sealed_signing_secret');
const appTokenPlace = secretPlaces('bot_tokens', 'sealed_app_token');

export async function insertBot(
  db: Db,
  secrets: SecretBox,
  { appId: discordAppId, ...bot }: StoredBot,
  { token, signingSecret, appToken }: BotSecrets,
): Promise<void> {
  const sealedToken = secrets.seal(token, tokenPlace(bot.id));
  const sealedSigningSecret = signingSecret && secrets.seal(signingSecret, signingPlace(bot.id));
  const sealedAppToken = appToken && secrets.seal(appToken, appTokenPlace(bot.id));
  const sealed = { sealedToken, sealedSigningSecret, sealedAppToken };
  await insertRow(db, 'botTokens', { ...bot, discordAppId, ...sealed });
}

/**
 * Returns all bots of a platform with their secrets, for the connector that logs them in. A token of null cannot be
 * opened. Another secret of null cannot be opened, or there is none.
 */
export async function listBotsToLogIn(
  db: Db,
  secrets: SecretBox,
  platform: Platform,
): Promise<
  ({ id: string; accountId: string; appId: string | null } & { [Name in keyof BotSecrets]: string | null })[]
> {
  const rows = await listRows(db, 'botTokens', { platform }, ['createdAt']);
  return rows.map(
    ({ id, accountId, sealedToken, sealedSigningSecret, sealedAppToken, discordAppId: appId }) => ({
      id,
      accountId,
      appId,
      token: opened(secrets, sealedToken, tokenPlace(id)),
      signingSecret: sealedSigningSecret && opened(secrets, sealedSigningSecret, signingPlace(id)),
      appToken: sealedAppToken && opened(secrets, sealedAppToken, appTokenPlace(id)),
    }),
  );
}

/** A bot whose secrets were sealed with another key must not affect the other bots. */
function opened(secrets: SecretBox, sealed: string, place: SecretPlace): string | null {
  try {
    return secrets.open(sealed, place);
  } catch {
    return null;
  }
}

/** Returns the account's bots in registration order. */
export async function listBots(db: Db, accountId: string): Promise<StoredBot[]> {
  return await db
    .selectFrom('botTokens')
    .select(SHOWN)
    .where('accountId', '=', accountId)
    .orderBy('createdAt')
    .orderBy('id')
    .execute();
}

/** Returns whether the account has registered this token. Sealed texts differ every time, so each one is opened. */
export async function hasBotToken(
  db: Db,
  secrets: SecretBox,
  accountId: string,
  { platform, token }: Pick<StoredBot, 'platform'> & Pick<BotSecrets, 'token'>,
): Promise<boolean> {
  const rows = await listRows(db, 'botTokens', { accountId, platform });
  return rows.some((row) => secrets.open(row.sealedToken, tokenPlace(row.id)) === token);
}

/** Returns the account that owns a bot. Undefined: the platform has no such bot. */
export async function findBotOwner(db: Db, platform: Platform, botId: string): Promise<string | undefined> {
  return (await findRow(db, 'botTokens', { id: botId, platform }))?.accountId;
}

/** Undefined: the account has no such bot. */
export async function deleteBot(db: Db, accountId: string, botId: string): Promise<StoredBot | undefined> {
  return await db
    .deleteFrom('botTokens')
    .where('accountId', '=', accountId)
    .where('id', '=', botId)
    .returning(SHOWN)
    .executeTakeFirst();
}
