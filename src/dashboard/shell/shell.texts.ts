import type { FieldSpec } from '../parts/field.ts';

/** One that is chosen now. */
export function newPassword(label: string): FieldSpec {
  const rules = { required: true, minLength: 8, maxLength: 128, autocomplete: 'new-password' };
  return { label, hint: 'At least 8 characters', type: 'password', ...rules };
}

/** The one to be proven. */
export function currentPassword(label: string): FieldSpec {
  return { label, type: 'password', required: true, maxLength: 128, autocomplete: 'current-password' };
}

export const t = {
  label: 'Pages',
  skip: 'Skip to the content',
  menu: 'Menu',
  docs: 'API reference',
  leave: 'Sign out',
  talk: 'Your call',
  with: (agent: string) => `You are calling ${agent}`,
  mute: 'Mute',

  title: 'Sign in',
  create: 'Create account',
  known: 'I have an account',
  email: { label: 'Email address', type: 'email', required: true, autocomplete: 'username' },
  password: 'Password',
  inviteCode: { label: 'Invite code', required: true },
  forgotten: 'Forgot your password?',
  continueWith: (name: string) => `Continue with ${name}`,

  welcome: 'Welcome',
  explanation:
    'You run this gateway. Choose the address and the password with which you sign in from now on.',
  begin: 'Begin',
};
