import type { Fields } from '../parts/field.ts';
import { currentPassword, newPassword } from '../shell/sign-in.texts.ts';

const password = currentPassword('Current password');

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
  noIdentities: 'None yet',
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
  noAudit: 'Nothing was changed yet.',
  by: {
    session: 'a browser',
    settings: 'a settings key',
    agent: 'an agent key',
    none: 'the gateway',
  } as Readonly<Record<string, string>>,

  usage: 'Usage',
  period: 'Period',
  periods: [
    ['7', '7 days'],
    ['30', '30 days'],
    ['90', '90 days'],
    ['365', 'A year'],
  ] as const,
  amount: 'Chart',
  amounts: [
    ['calls', 'Calls'],
    ['minutes', 'Minutes'],
    ['messages', 'Messages'],
    ['bytes', 'Files'],
    ['tts_characters', 'Characters spoken'],
    ['tts_seconds', 'Seconds spoken'],
    ['stt_seconds', 'Seconds recognized'],
  ] as const,
  chart: (amount: string) => `${amount} by day`,
};
