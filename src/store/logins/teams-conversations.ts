import type { Selectable } from 'kysely';
import type { Db } from '../database/tables.ts';
import type { Space } from '../messages/spaces.ts';
import type { TeamsOffersTable, TeamsReferencesTable } from './login-tables.ts';

/** Where a conversation is reached. */
export type TeamsReference = Omit<Selectable<TeamsReferencesTable>, 'spaceKind' | 'spaceId'>;

/** A file that a person has been offered, of the message with this id. */
export interface TeamsOffer extends Omit<Selectable<TeamsOffersTable>, 'messageSeq'> {
  readonly messageId: string;
}

/** Undefined: nothing is kept. */
export async function findTeamsReference(db: Db, { kind, id }: Space): Promise<TeamsReference | undefined> {
  return await db
    .selectFrom('teamsReferences')
    .select(['conversationId', 'serviceUrl', 'tenantId'])
    .where('spaceKind', '=', kind)
    .where('spaceId', '=', id)
    .executeTakeFirst();
}

export async function putTeamsReference(
  db: Db,
  { kind, id }: Space,
  reference: TeamsReference,
): Promise<void> {
  await db
    .insertInto('teamsReferences')
    .values({ spaceKind: kind, spaceId: id, ...reference })
    .onConflict((conflict) => conflict.columns(['spaceKind', 'spaceId']).doUpdateSet(reference))
    .execute();
}

/** Deletes what is kept of people and channels that no account is connected to. */
export async function pruneTeamsReferences(db: Db): Promise<void> {
  await db
    .deleteFrom('teamsReferences')
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('connections')
            .select('connections.id')
            .where('connections.provider', '=', 'teams')
            .whereRef('connections.spaceKind', '=', 'teamsReferences.spaceKind')
            .whereRef('connections.remoteId', '=', 'teamsReferences.spaceId'),
        ),
      ),
    )
    .execute();
}

/** Undefined: it was answered, or its message is gone. */
export async function findTeamsOffer(db: Db, offerId: string): Promise<TeamsOffer | undefined> {
  return await db
    .selectFrom('teamsOffers')
    .innerJoin('messages', 'messages.seq', 'teamsOffers.messageSeq')
    .select(['offerId', 'messages.id as messageId', 'fileIndex', 'personId', 'teamsOffers.conversationId'])
    .where('offerId', '=', offerId)
    .executeTakeFirst();
}

/** Does nothing if the message is gone. */
export async function insertTeamsOffer(db: Db, { messageId, ...offer }: TeamsOffer): Promise<void> {
  const message = await db
    .selectFrom('messages')
    .select('seq')
    .where('id', '=', messageId)
    .executeTakeFirst();
  if (message)
    await db
      .insertInto('teamsOffers')
      .values({ ...offer, messageSeq: message.seq })
      .execute();
}

export async function deleteTeamsOffer(db: Db, offerId: string): Promise<void> {
  await db.deleteFrom('teamsOffers').where('offerId', '=', offerId).execute();
}
