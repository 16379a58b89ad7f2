import { randomBytes, randomUUID } from 'node:crypto';

let lastMs = 0;

/** Ids of messages are the milliseconds at which they were written; no two are the same. */
export function newMessageId(): string {
  lastMs = Math.max(Date.now(), lastMs + 1);
  return `${lastMs}`;
}

export const newGuid = (): string => randomUUID();
export const newUserId = (): string => `29:1${randomBytes(60).toString('base64url')}`;
export const newDirectId = (): string => `a:1${randomBytes(60).toString('base64url')}`;
export const newChannelId = (): string => `19:${randomBytes(16).toString('hex')}@thread.tacv2`;
export const newGroupId = (): string => `19:${randomBytes(16).toString('hex')}@thread.v2`;
