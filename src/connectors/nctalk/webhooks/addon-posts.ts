import * as z from 'zod';
import { field } from '../../../base/platform-json.ts';
import { RoomToken } from '../objects.ts';

const UserId = z.string().max(255).catch('');

/** Somebody has written. What they wrote is read from the room: the signature does not cover the post. */
export const ChatPost = z.object({
  type: z.string().catch(''),
  room_token: RoomToken,
  /** The bot that the addon believes to be meant; '' when it does not know. */
  bot_user: UserId,
  /** In place of the text, where the addon encrypts it. */
  encrypted: field(z.unknown()),
});

/** The marker of a probe was seen. */
export const ProbePost = z.object({ nonce: z.string().max(64), bot_login: UserId });

/** A bot was added to a room, or removed. */
export const AttendeePost = z.object({ room_token: RoomToken, bot_user_id: UserId });

/** The first has joined a call, or the last has left. Of any room of the Nextcloud. */
export const CallPost = z.object({ room_token: RoomToken });

/** A person's message, for which the addon waits with the answer. Other types are notices of Talk's own. */
export const WRITTEN = 'Create';
