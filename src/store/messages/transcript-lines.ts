import { sql } from 'kysely';
import { prepared } from '../database/prepared.ts';
import type { Db, Row } from '../database/rows.ts';
import type { TranscriptLinesTable } from './message-tables.ts';

export type StoredLine = Pick<Row<'transcriptLines'>, 'position' | 'speaker' | 'text'>;

type NewLine = Pick<TranscriptLinesTable, 'callId' | 'speaker' | 'text' | 'createdAt'>;

/** Appends a line to the transcript of a call. Does nothing if the call is gone. */
export async function appendTranscriptLine(db: Db, line: NewLine): Promise<void> {
  await append(db, line);
}

const append = prepared((db, { callId, speaker, text, createdAt }: NewLine) =>
  db
    .insertInto('transcriptLines')
    .columns(['callId', 'position', 'accountId', 'speaker', 'text', 'createdAt'])
    .expression((query) =>
      query
        .selectFrom('calls')
        .select(({ val }) => [
          'callId',
          sql<number>`(select coalesce(max(position) + 1, 0) from transcript_lines where call_id = ${callId})`.as(
            'position',
          ),
          'accountId',
          val(speaker).as('speaker'),
          val(text).as('text'),
          val(createdAt).as('createdAt'),
        ])
        .where('callId', '=', callId),
    ),
);

/** Returns the newest lines of a call, oldest first. */
export async function newestTranscriptLines(db: Db, callId: string, limit: number): Promise<StoredLine[]> {
  const lines = await db
    .selectFrom('transcriptLines')
    .select(['position', 'speaker', 'text'])
    .where('callId', '=', callId)
    .orderBy('position', 'desc')
    .limit(limit)
    .execute();
  return lines.reverse();
}
