import { sql } from 'kysely';
import type { Platform } from '../../base/platform.ts';
import { prepared } from '../database/prepared.ts';
import type { Db } from '../database/rows.ts';
import type { Space } from '../messages/spaces.ts';

/** As the connectors' contract describes it. */
interface PlatformRecord {
  readonly loginKey: string;
  readonly kind: string;
  readonly key?: string;
  readonly value: unknown;
  readonly unique?: string;
  readonly group?: string | null;
  readonly messageId?: string;
  readonly space?: Space;
}

/** What a platform's connector keeps of its logins. */
export class PlatformRecords {
  readonly #db: Db;
  readonly #platform: Platform;

  constructor(db: Db, platform: Platform) {
    this.#db = db;
    this.#platform = platform;
  }

  async find(loginKey: string, kind: string, key = ''): Promise<unknown> {
    const [record] = (await found(this.#db, { loginKey, platform: this.#platform, kind, key })).rows;
    return record === undefined ? null : JSON.parse(record.value);
  }

  async list(loginKey: string, kind: string): Promise<unknown[]> {
    const rows = await this.#ofLogin(loginKey, kind).select('value').orderBy('key').execute();
    return rows.map(({ value }) => JSON.parse(value));
  }

  async ofOtherAccounts(connectionId: string, kind: string, group: string): Promise<unknown[]> {
    const rows = await this.#db
      .selectFrom('platformRecords')
      .innerJoin('connections', 'connections.id', 'platformRecords.loginKey')
      .select('platformRecords.value')
      .where('platformRecords.platform', '=', this.#platform)
      .where('platformRecords.kind', '=', kind)
      .where('platformRecords.groupKey', '=', group)
      .where('connections.accountId', '!=', (own) =>
        own.selectFrom('connections as own').select('own.accountId').where('own.id', '=', connectionId),
      )
      .execute();
    return rows.map(({ value }) => JSON.parse(value));
  }

  async put({ loginKey, kind, value, space, ...others }: PlatformRecord): Promise<boolean> {
    const { numAffectedRows = 0n } = await putIfWanted(this.#db, {
      loginKey,
      platform: this.#platform,
      kind,
      key: space === undefined ? (others.key ?? '') : `${space.kind} ${space.id}`,
      value: JSON.stringify(value),
      uniqueKey: others.unique ?? null,
      groupKey: others.group ?? null,
      messageId: others.messageId ?? null,
      spaceKind: space?.kind ?? null,
      spaceId: space?.id ?? null,
    });
    return numAffectedRows > 0n;
  }

  async delete(loginKey: string, kind?: string, key = ''): Promise<void> {
    let records = this.#db
      .deleteFrom('platformRecords')
      .where('loginKey', '=', loginKey)
      .where('platform', '=', this.#platform);
    if (kind !== undefined) records = records.where('kind', '=', kind).where('key', '=', key);
    await records.execute();
  }

  #ofLogin(loginKey: string, kind: string) {
    return this.#db
      .selectFrom('platformRecords')
      .where('loginKey', '=', loginKey)
      .where('platform', '=', this.#platform)
      .where('kind', '=', kind);
  }
}

interface RecordName {
  readonly loginKey: string;
  readonly platform: Platform;
  readonly kind: string;
  readonly key: string;
}

const found = prepared((db, { loginKey, platform, kind, key }: RecordName) =>
  db
    .selectFrom('platformRecords')
    .select('value')
    .where('loginKey', '=', loginKey)
    .where('platform', '=', platform)
    .where('kind', '=', kind)
    .where('key', '=', key),
);

interface StoredRecord extends RecordName {
  readonly value: string;
  readonly uniqueKey: string | null;
  readonly groupKey: string | null;
  readonly messageId: string | null;
  readonly spaceKind: Space['kind'] | null;
  readonly spaceId: string | null;
}

/** Connectors write what they have just learned: by then the bot, connection or message may be gone. */
const putIfWanted = prepared((db, record: StoredRecord) => {
  const { loginKey, platform, kind, key, value, uniqueKey, groupKey, messageId, spaceKind, spaceId } = record;
  const query = sql`
    insert into platform_records
      (login_key, platform, kind, key, value, unique_key, group_key, message_id)
    select ${loginKey}, ${platform}, ${kind}, ${key}, ${value}, ${uniqueKey}, ${groupKey}, ${messageId}
    where (
        ${loginKey} = 'shared'
        or exists (select 1 from bot_tokens where id = ${loginKey})
        or exists (select 1 from connections where id = ${loginKey})
      )
      and (${messageId} is null or exists (select 1 from messages where id = ${messageId}))
      and (${spaceId} is null or exists (
        select 1 from connections
        where provider = ${platform} and login_key = ${loginKey}
          and remote_id = ${spaceId} and space_kind = ${spaceKind}
      ))
      and (${uniqueKey} is null or not exists (
        select 1 from platform_records
        where platform = ${platform} and kind = ${kind}
          and unique_key = ${uniqueKey} and login_key != ${loginKey}
      ))
    on conflict (login_key, platform, kind, key) do update set
      value = excluded.value, unique_key = excluded.unique_key,
      group_key = excluded.group_key, message_id = excluded.message_id`;
  return { compile: () => query.compile(db) };
});
