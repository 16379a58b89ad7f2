import { signal } from '@preact/signals';
import { aheadMs } from '../api/feed.ts';

const DAY_MS = 86_400_000;

/** The time, by the second. */
const now = signal(Date.now());
setInterval(() => {
  if (!document.hidden) now.value = Date.now();
}, 1_000);

const CLOCK = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
const DATE = new Intl.DateTimeFormat(undefined, {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
});
const FULL = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

/** When something was: the time of day, with the date if that was not today. */
export function Moment({ iso }: { readonly iso: string }) {
  const date = new Date(iso);
  const isRecent = now.peek() - date.getTime() < DAY_MS && date.getDate() === new Date().getDate();
  return (
    <time dateTime={iso} title={FULL.format(date)}>
      {(isRecent ? CLOCK : DATE).format(date)}
    </time>
  );
}

/** How long something has lasted, as in 2:05. */
export function Duration({ from, to = null }: { readonly from: string; readonly to?: string | null }) {
  const endMs = to === null ? now.value + aheadMs.value : Date.parse(to);
  return <span class="digits">{clockOf((endMs - Date.parse(from)) / 1000)}</span>;
}

function clockOf(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const parts = [Math.floor(whole / 60) % 60, whole % 60].map((part) => `${part}`.padStart(2, '0'));
  const hours = Math.floor(whole / 3600);
  return hours > 0 ? `${hours}:${parts.join(':')}` : `${Number(parts[0])}:${parts[1]}`;
}
