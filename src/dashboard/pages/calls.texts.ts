import type { Fields } from '../parts/field.ts';
import { RESULTS } from '../parts/value.tsx';
import { texts } from '../texts.ts';

/** In this order they are offered. */
const CALLABLE = ['sip', 'discord', 'teams', 'meet', 'zoom', 'nctalk'];

const callable = Object.fromEntries(CALLABLE.map((name) => [name, texts.platforms[name] ?? name]));
const results = Object.fromEntries(Object.entries(RESULTS).map(([result, [, name]]) => [result, name]));

export const t = {
  live: 'Live calls',
  none: 'No call right now',
  unknown: 'Unknown',
  directions: { inbound: 'incoming', outbound: 'outgoing' },
  accept: 'Accept',
  refuse: 'Refuse',
  place: 'Place a call',
  past: 'History',
  noPast: 'No call that is over',
  target: {
    platform: { label: texts.platform, options: callable },
    meeting_url: {
      label: 'Number, SIP address or link of the meeting',
      hint: 'For example +33123456789, sip:anna@example.com, or the link of the invitation',
      maxLength: 2048,
    },
  } as Fields,
  handling: {
    machine_detection: {
      label: 'When a machine answers',
      options: {
        off: 'Talk all the same',
        detect: 'Find out',
        wait_for_beep: 'Wait for its beep',
        hang_up: 'Hang up',
      },
    },
  } as Fields,
  filters: {
    search: { label: 'Search callers, numbers and words', type: 'search', maxLength: 200 },
    platform: { label: texts.platform, options: { '': texts.all, ...callable } },
    result: { label: 'Ended', options: { '': texts.all, ...results } },
  } as Fields,
  levels: ['Level of the other side', 'Level of the agents'] as const,
  level: 'Level of what you hear',
  hangUp: 'Hang up',
};
