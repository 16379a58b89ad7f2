import * as z from 'zod';
import { field } from '../../../base/platform-json.ts';

const Id = z.string().regex(/^[A-Z0-9]{2,40}$/);
/** Seconds with six digits: the id of a message in its channel, and its time. */
const Ts = z.string().regex(/^\d{1,12}\.\d{1,6}$/);

const Authorization = z.object({
  team_id: z.string().nullish(),
  enterprise_id: z.string().nullish(),
  is_enterprise_install: field(z.boolean()),
});

/** Slack names one. Strangers, whose requests are refused only after the workspace is looked up, may name thousands. */
const MAX_AUTHORIZATIONS = 20;
const Authorizations = z.preprocess(
  (value) => (Array.isArray(value) ? value.slice(0, MAX_AUTHORIZATIONS) : value),
  z.array(Authorization),
);

/** What the app is called with (https://docs.slack.dev/apis/events-api/#callback-field). */
export const Envelope = z.object({
  type: z.string(),
  challenge: field(z.string()),
  team_id: z.string().nullish().catch(null),
  enterprise_id: z.string().nullish().catch(null),
  event_id: field(z.string().max(100)),
  authorizations: Authorizations.default([]).catch([]),
  event: z.unknown().optional(),
});

export type Envelope = z.output<typeof Envelope>;

const Content = z.object({
  user: field(Id),
  /** The author's workspace or organization; another one in channels shared with others (Slack Connect). */
  user_team: field(Id),
  user_profile: field(z.object({ display_name: field(z.string()), real_name: field(z.string()) })),
  bot_id: field(z.string()),
  bot_profile: field(z.object({ name: field(z.string()), is_workflow_bot: field(z.boolean()) })),
  subtype: field(z.string()),
  text: z.string().nullish().catch(''),
  ts: Ts,
  thread_ts: field(Ts),
  files: field(z.array(z.unknown())),
  blocks: field(z.array(z.unknown())),
  attachments: field(z.array(z.unknown())),
  edited: field(z.object({ ts: field(Ts) })),
});

/** A message as it is written, edited or deleted. */
export type Content = z.output<typeof Content>;

/** https://docs.slack.dev/reference/events/message */
export const MessageEvent = Content.extend({
  channel: Id,
  channel_type: field(z.string()),
  event_ts: field(Ts),
  deleted_ts: field(Ts),
  message: field(Content),
  previous_message: field(Content),
});

export type MessageEvent = z.output<typeof MessageEvent>;

/** A channel that changes, or a member who comes or goes. */
export const ChannelEvent = z.object({ channel: Id, user: field(Id) });

export const AnyEvent = z.object({ type: z.string(), subtype: field(z.string()) });

/** https://docs.slack.dev/reference/events/reaction_added */
export const ReactionEvent = z.object({
  user: Id,
  reaction: z.string().max(200),
  item: z.object({ type: z.literal('message'), channel: Id, ts: Ts }),
});

/** A press of buttons (https://docs.slack.dev/reference/interaction-payloads/block_actions-payload). */
export const BlockActions = z.object({
  type: z.literal('block_actions'),
  team: field(z.object({ id: z.string() })),
  enterprise: field(z.object({ id: z.string() })),
  user: z.object({ id: Id, name: field(z.string()), team_id: field(Id) }),
  channel: field(z.object({ id: Id })),
  message: field(z.object({ ts: Ts, thread_ts: field(Ts) })),
  actions: z.array(
    z.object({ action_id: z.string(), action_ts: field(z.string()), value: field(z.string()) }),
  ),
});

export type BlockActions = z.output<typeof BlockActions>;

/** Returns a press as the envelope of an event; null: it is none. */
export function pressEnvelope(payload: unknown): Envelope | null {
  const { data } = BlockActions.safeParse(payload);
  if (!data) return null;
  return {
    type: 'event_callback',
    team_id: data.team?.id ?? null,
    enterprise_id: data.enterprise?.id ?? null,
    authorizations: [],
    event: { ...data, channel: data.channel?.id, press: data },
  };
}

export const PressEvent = z.object({ press: BlockActions });
