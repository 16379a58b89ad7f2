/** Metrics and logs of the Telegram connector; never message content or tokens. */
export interface TelegramObserver {
  count(event: TelegramEvent): void;
  log(level: 'info' | 'warn' | 'error', text: string, detail: Readonly<Record<string, unknown>>): void;
}

export type TelegramEvent =
  | 'update_read'
  | 'update_failed'
  | 'update_skipped'
  | 'poll_failed'
  | 'webhook_refused'
  | 'greeting_failed'
  | 'throttled';
