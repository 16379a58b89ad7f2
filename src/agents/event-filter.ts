/** Events that an agent's model can be called for (specification, "Inbox and push events"). */
export const EVENT_TYPES = [
  'dm_chat',
  'call_chat',
  'call_invite',
  'call_transcript',
  'call_state',
  'call_error',
  'dm_delivered',
] as const;

export type EventType = (typeof EVENT_TYPES)[number];

/** The events that an agent's model is called for. */
export type EventFilter = Readonly<Record<EventType, boolean>>;

/** Messages, transcripts and ringing calls need an answer; the other events only inform. */
export const DEFAULT_EVENT_FILTER: EventFilter = {
  dm_chat: true,
  call_chat: true,
  call_invite: true,
  call_transcript: true,
  call_state: false,
  call_error: false,
  dm_delivered: false,
};
