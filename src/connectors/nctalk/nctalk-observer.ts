import type { MessengerObserver } from '../contract/messenger.ts';

export type NextcloudTalkEvent =
  | 'webhook_refused'
  | 'webhook_unreadable'
  | 'webhook_repeated'
  | 'room_ignored'
  | 'room_failed'
  | 'message_ignored'
  | 'typing_failed'
  | 'events_lost'
  | 'throttled'
  | 'api_error'
  | 'login_ok'
  | 'login_failed';

export type NextcloudTalkObserver = MessengerObserver<NextcloudTalkEvent>;
