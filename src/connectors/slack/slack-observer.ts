import type { MessengerObserver } from '../contract/messenger.ts';

export type SlackEvent =
  | 'webhook_refused'
  | 'webhook_unreadable'
  | 'event_failed'
  | 'event_ignored'
  | 'socket_lost'
  | 'throttled'
  | 'api_error'
  | 'login_ok'
  | 'login_failed';

export type SlackObserver = MessengerObserver<SlackEvent>;
