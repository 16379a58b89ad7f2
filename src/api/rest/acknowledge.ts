import { type JsonReply, reply } from '../http/answer/reply.ts';

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
