import * as z from 'zod';
import { field } from '../../base/platform-json.ts';

/** `auth.test` */
export const Identity = z.object({
  team_id: z.string().min(1),
  user_id: z.string().min(1),
  user: field(z.string()),
  enterprise_id: field(z.string()),
  is_enterprise_install: field(z.boolean()),
});

const Place = z.object({ id: z.string().min(1), name: field(z.string()) });

/** `oauth.v2.access`. `team` is null where the app is installed in a whole organization. */
export const Installed = z.object({
  team: Place.nullish(),
  enterprise: Place.nullish(),
  is_enterprise_install: field(z.boolean()),
  authed_user: z.object({ id: z.string().min(1) }),
});

/** `users.info` */
export const UserAnswer = z.object({
  user: z.object({
    name: field(z.string()),
    real_name: field(z.string()),
    profile: field(z.object({ display_name: field(z.string()), real_name: field(z.string()) })),
  }),
});

/** `conversations.info` */
export const ChannelAnswer = z.object({ channel: z.object({ name: field(z.string()) }) });

/** `conversations.open` */
export const OpenedAnswer = z.object({ channel: z.object({ id: z.string().min(1) }) });

/** `chat.postMessage` */
export const PostedAnswer = z.object({ ts: z.string().min(1) });

/** Of `conversations.history` and `conversations.replies`. */
const PostedMessage = z.object({
  ts: z.string(),
  user: field(z.string()),
  metadata: field(
    z.object({ event_type: field(z.string()), event_payload: field(z.object({ key: field(z.string()) })) }),
  ),
});

export type PostedMessage = z.output<typeof PostedMessage>;

export const PostedMessages = z.object({ messages: z.array(PostedMessage) });

/** `files.getUploadURLExternal` */
export const UploadAnswer = z.object({ upload_url: z.string(), file_id: z.string().min(1) });

/**
 * A file, in messages and as `files.info` has it. `mode` is `tombstone` once it is deleted; `file_access` is
 * `check_file_info` where the event does not say more than the id (Slack Connect).
 */
export const SlackFile = z.object({
  id: z.string().min(1),
  name: field(z.string()),
  title: field(z.string()),
  mimetype: field(z.string()),
  subtype: field(z.string()),
  size: field(z.int()),
  mode: field(z.string()),
  file_access: field(z.string()),
  url_private: field(z.string()),
  url_private_download: field(z.string()),
});

export type SlackFile = z.output<typeof SlackFile>;

/** Modes of files that are no longer there: deleted, or hidden by the limits of a free plan. */
const GONE_MODES: ReadonlySet<string> = new Set(['tombstone', 'hidden_by_limit']);

export function isGone({ mode }: SlackFile): boolean {
  return mode !== undefined && GONE_MODES.has(mode);
}

export const FileAnswer = z.object({ file: SlackFile });
