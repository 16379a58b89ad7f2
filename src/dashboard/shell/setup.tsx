import { ask } from '../api/request.ts';
import { useDraft, valuesOf } from '../parts/draft.ts';
import { Field, Form } from '../parts/form.tsx';
import { PasswordField } from '../parts/password-field.tsx';
import { texts } from '../texts.ts';
import { Gate } from './gate.tsx';

const t = texts.setup;

/** The first start: the operator gets an address and a password. */
export function Setup({ token, onDone }: { readonly token: string; onDone(): Promise<void> }) {
  const draft = useDraft({ email: '', password: '' });
  const submit = async (): Promise<void> => {
    await ask('POST /auth/setup', { body: { token, ...valuesOf(draft) } });
    await onDone();
  };
  return (
    <Gate title={t.title}>
      <p>{t.explanation}</p>
      <Form submit={submit} action={t.action}>
        <Field label={texts.signIn.email} type="email" of={draft.email} required autocomplete="username" />
        <PasswordField label={texts.signIn.password} isNew of={draft.password} />
      </Form>
    </Gate>
  );
}
