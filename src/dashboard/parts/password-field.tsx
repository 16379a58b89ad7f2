import { texts } from '../texts.ts';
import type { Held } from './draft.ts';
import { Field } from './form.tsx';

interface PasswordFieldProps {
  readonly label: string;
  readonly of: Held<string>;
  /** One that is chosen now, and not the one to be proven. */
  readonly isNew?: boolean;
}

export function PasswordField({ isNew = false, ...rest }: PasswordFieldProps) {
  const rules = isNew ? { minLength: 8, hint: texts.signIn.passwordHint } : {};
  const autocomplete = isNew ? 'new-password' : 'current-password';
  return <Field {...rest} {...rules} type="password" required maxLength={128} autocomplete={autocomplete} />;
}
