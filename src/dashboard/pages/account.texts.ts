import type { FieldSpec, Fields } from '../parts/field.ts';
import { currentPassword, newPassword } from '../shell/shell.texts.ts';

const password = currentPassword('Current password');

function limit(label: string): FieldSpec {
  return { label, type: 'number', min: 0, placeholder: 'as usual' };
}

export const t = {
  address: 'Email address',
  noAddress: 'This account has only keys.',
  unverified: 'Your address is not verified: open the link that we mailed you.',
  resend: 'Mail it again',
  mailed: 'The email is on its way',
  changeAddress: 'Change address',
  addressFields: {
    new_email: { label: 'New address', type: 'email', required: true, autocomplete: 'email' },
    password,
  } as Fields,
  password: 'Password',
  changePassword: 'Change password',
  passwordChanged: 'The password was changed, and other browsers were signed out',
  passwordFields: { current_password: password, new_password: newPassword('New password') } as Fields,
  identities: 'Other ways to sign in',
  unlink: 'Unlink',
  link: (name: string) => `Link ${name}`,
  data: 'Your data',
  dataHint: 'The export has everything of your account but secrets, in one JSON file.',
  export: 'Export everything',
  delete: 'Delete the account',
  deleteHint: 'Ends its calls and deletes everything of it. This cannot be undone.',
  // Accounts may have no password.
  deleteFields: {
    password: { ...password, required: false },
    confirm: { label: 'Type DELETE', required: true, pattern: 'DELETE' },
  } as Fields,

  audit: 'Audit log',
  auditHint: 'Every change of settings, and who made it.',
  by: {
    session: 'a browser',
    settings: 'a settings key',
    agent: 'an agent key',
    none: 'the gateway',
  } as Readonly<Record<string, string>>,

  usage: 'Usage',
  period: 'Period',
  periods: { 7: '7 days', 30: '30 days', 90: '90 days', 365: 'A year' },
  amount: 'Chart',
  amounts: {
    calls: 'Calls',
    minutes: 'Minutes',
    messages: 'Messages',
    bytes: 'Files',
    tts_characters: 'Characters spoken',
    tts_seconds: 'Seconds spoken',
    stt_seconds: 'Seconds recognized',
  },
  chart: (amount: string) => `${amount} by day`,

  budget: {
    title: 'Budget',
    hint: 'What it may use per hour and day (UTC). When it is used up, its model is no longer asked, and no new calls begin.',
    change: 'Change the limits',
    account: 'Whole account',
    spans: { hour: 'This hour', day: 'Today' },
    resources: { turns: 'Questions to models', tokens: 'Tokens', minutes: 'Minutes of calls' },
    limits: {
      turns_per_hour: limit('Questions per hour'),
      turns_per_day: limit('Questions per day'),
      tokens_per_hour: limit('Tokens per hour'),
      tokens_per_day: limit('Tokens per day'),
      minutes_per_hour: limit('Minutes per hour'),
      minutes_per_day: limit('Minutes per day'),
    },
    spent: (whose: string, what: string, span: string, percent: number) =>
      `${whose}: ${what}, ${span.toLowerCase()}: ${percent} % of the budget are used`,
  },
};
