import * as z from 'zod';
import { type JsonReply, reply } from '../http/answer/reply.ts';
import { named } from './fields.ts';

/** Acknowledges a deletion. */
export const Deleted = named('Deleted', { status: z.literal('deleted') });

/** Acknowledges a request that returns no data. */
export const Acknowledged = named('Acknowledged', { status: z.literal('ok') });

/** Acknowledges a text to be spoken, or keys that were pressed. */
export const Said = named('Said', {
  status: z.literal('ok'),
  utterance_id: z.string().optional().describe('Identifies the text in `utterance` events; absent for keys'),
});

/** The same answer whether or not anything was done, so that it reveals nothing. */
export const Done = named('Done', { status: z.literal('ok') });

/** Answers `ok` once it is done. */
export async function acknowledged(work: Promise<unknown>): Promise<JsonReply<200, { status: 'ok' }>> {
  await work;
  return reply(200, { status: 'ok' });
}

/** Answers `deleted` once it is. */
export async function deleted(work: Promise<unknown>): Promise<JsonReply<200, { status: 'deleted' }>> {
  await work;
  return reply(200, { status: 'deleted' });
}
