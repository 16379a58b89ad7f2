import * as z from 'zod';
import { PASSWORD_MAX_LENGTH, PASSWORD_MIN_LENGTH } from '../../accounts/passwords/passwords.ts';
import { named } from './fields.ts';

/** Longest email address (RFC 5321, section 4.5.3.1.3, without the angle brackets). */
const EMAIL_MAX_LENGTH = 254;
const TOKEN_MAX_LENGTH = 128;

const Email = z.email().max(EMAIL_MAX_LENGTH).toLowerCase().describe('Email address, not case-sensitive');

const NewPassword = z
  .string()
  .min(PASSWORD_MIN_LENGTH)
  .max(PASSWORD_MAX_LENGTH)
  .describe(`${PASSWORD_MIN_LENGTH} to ${PASSWORD_MAX_LENGTH} characters`);

const Password = z.string().min(1).max(PASSWORD_MAX_LENGTH);
const Token = z.string().min(1).max(TOKEN_MAX_LENGTH).describe('The token from the email');

export const SignupRequest = named('SignupRequest', {
  email: Email,
  password: NewPassword,
  name: z.string().min(1).max(80).optional().describe('Name of the account. Default: the email address'),
  invite_code: z
    .string()
    .max(256)
    .optional()
    .describe('Required if sign-up is by invitation; ask the operator for it'),
});

export const LoginRequest = named('LoginRequest', { email: Email, password: Password });

export const ForgotPasswordRequest = named('ForgotPasswordRequest', { email: Email });

export const ResetPasswordRequest = named('ResetPasswordRequest', { token: Token, password: NewPassword });

export const ChangePasswordRequest = named('ChangePasswordRequest', {
  current_password: Password,
  new_password: NewPassword,
});

export const ChangeEmailRequest = named('ChangeEmailRequest', {
  new_email: Email,
  password: Password.describe('The current password'),
});

export const TokenQuery = z.object({ token: Token });

export const ResetPageQuery = z.object({ token: z.string().max(TOKEN_MAX_LENGTH).default('') });

export const SetupRequest = named('SetupRequest', {
  token: Token.describe('The token of the link that the gateway printed when it started'),
  email: Email,
  password: NewPassword,
});

/** What a browser may offer to somebody who is not signed in. */
export const SignInOptions = named('SignInOptions', {
  signup: z.enum(['open', 'invite', 'closed']),
  providers: z.array(z.string()).describe('Identity providers, for `GET /auth/oauth/{provider}/start`'),
});

/** The signed-in account. The session itself is in the cookie. */
export const SignedIn = named('SignedIn', {
  account_id: z.string(),
  name: z.string(),
  email: z.string(),
  email_verified: z.boolean(),
});
