import type { MessengerObserver } from '../contract/messenger.ts';

export type TeamsEvent =
  | 'webhook_refused'
  | 'webhook_unreadable'
  | 'event_failed'
  | 'event_ignored'
  | 'keys_failed'
  | 'throttled'
  | 'api_error'
  | 'note_failed'
  | 'file_refused'
  | 'file_failed'
  | 'login_ok'
  | 'login_failed';

export type TeamsObserver = MessengerObserver<TeamsEvent>;
